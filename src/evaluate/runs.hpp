// How each metric of the registry is run: the products that it needs and the function that reads it off them.
#pragma once

#include "evaluate/products.hpp"
#include "plumb/registry.hpp"

namespace plumb::detail {

/// How the work of a metric over a column in order is shared among cores: one core walks along the column
/// beside other metrics that do; the walk of the row above serves it, too; or it takes all cores by itself.
enum class Work { walk, with_above, all_cores };

struct MetricRun {
  using Finish = Estimate (*)(const Products&, std::string_view key);
  std::string_view key;
  ProductSet binary, multiclass;  ///< what it needs, by task
  Finish finish;
  Work work;
  constexpr MetricRun(std::string_view k, ProductSet needs, Finish f, Work w = Work::all_cores)
      : MetricRun(k, needs, needs, f, w) {}
  constexpr MetricRun(std::string_view k, ProductSet two, ProductSet more, Finish f, Work w = Work::all_cores)
      : key(k), binary(two), multiclass(more), finish(f), work(w) {}
  [[nodiscard]] constexpr ProductSet needs(bool is_binary) const { return is_binary ? binary : multiclass; }
};

/// The run of a row of the registry.
[[nodiscard]] const MetricRun& run_of(const MetricRow& row);

}  // namespace plumb::detail
