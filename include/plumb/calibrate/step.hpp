// One fitted calibrator as plain data: its method, its parameters and a report of the fit. Model files hold a
// list of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/result.hpp"

namespace plumb {

/// A named array, row-major. A scalar has an empty shape and one value.
struct Parameter {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<double> values;
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

/// Diagnostics of the fit, saved with the model.
struct FitReport {
  double objective = 0;      ///< the minimised objective, per vote (alpha: per item)
  double gradient_norm = 0;  ///< infinity norm at the solution, in the same unit
  std::int64_t iterations = 0;
  bool converged = true;
  std::int64_t items = 0, votes = 0;
  std::vector<std::pair<std::string, Value>> options;  ///< lambda and the like, as used
  std::vector<std::string> warnings;                   ///< whole sentences
  std::string no_optimum = {};  ///< why the objective has no finite optimum, or empty; not in files
};

struct Step {
  std::string method = {};
  std::vector<Parameter> parameters = {};
  FitReport fit = {};

  void add_parameter(std::string name, double value) { parameters.push_back({std::move(name), {}, {value}}); }
  void add_parameter(std::string name, std::vector<double> values) {
    const std::int64_t n = std::ssize(values);
    parameters.push_back({std::move(name), {n}, std::move(values)});
  }
  void add_parameter(std::string name, std::vector<std::int64_t> shape, std::vector<double> values) {
    parameters.push_back({std::move(name), std::move(shape), std::move(values)});
  }
};

/// The parameter of that name and exactly that shape with finite values, otherwise InputError ("the model
/// file's temperature step has no parameter T"). Everything read from an untrusted file goes through these
/// two functions.
[[nodiscard]] std::span<const double> parameter(const Step& step, std::string_view name,
                                                const std::vector<std::int64_t>& shape);
[[nodiscard]] double scalar_parameter(const Step& step, std::string_view name);
/// A vector of any length.
[[nodiscard]] std::span<const double> vector_parameter(const Step& step, std::string_view name);

}  // namespace plumb
