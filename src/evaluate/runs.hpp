// How each metric of the registry is run: the products that it needs and the function that reads it off them.
#pragma once

#include "evaluate/products.hpp"
#include "plumb/registry.hpp"

namespace plumb::detail {

struct MetricRun {
  using Finish = Estimate (*)(const Products&, std::string_view key);
  std::string_view key;
  ProductSet binary, multiclass;  ///< what it needs, by task
  Finish finish;
  constexpr MetricRun(std::string_view k, ProductSet needs, Finish f) : MetricRun(k, needs, needs, f) {}
  constexpr MetricRun(std::string_view k, ProductSet two, ProductSet more, Finish f)
      : key(k), binary(two), multiclass(more), finish(f) {}
  [[nodiscard]] constexpr ProductSet needs(bool is_binary) const { return is_binary ? binary : multiclass; }
};

/// The run of a row of the registry.
[[nodiscard]] const MetricRun& run_of(const MetricRow& row);

}  // namespace plumb::detail
