#include "plumb/calibrate/step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plumb/data/check.hpp"

namespace plumb {
namespace {

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return shape.empty() ? "a single value" : show_shape(shape);
}

const Parameter& find(const Step& step, std::string_view name) {
  const auto at = std::find_if(step.parameters.begin(), step.parameters.end(),
                               [&](const Parameter& p) { return p.name == name; });
  if (at == step.parameters.end())
    throw InputError(fmt::format("the {} step of the model has no parameter {}", step.method, name));
  std::int64_t size = 1;
  for (const std::int64_t extent : at->shape) size *= extent;
  if (size != std::ssize(at->values))
    throw InputError(fmt::format("parameter {} of the model's {} step has {} but its shape is {}", name,
                                 step.method, counted(std::ssize(at->values), "value"),
                                 show_shape(at->shape)));
  for (std::size_t i = 0; i < at->values.size(); ++i) {
    if (std::isfinite(at->values[i])) continue;
    throw InputError(
        fmt::format("parameter {} of the model's {} step has {} at position {}; it must be finite", name,
                    step.method, show(at->values[i]), i));
  }
  return *at;
}

}  // namespace

std::span<const double> parameter(const Step& step, std::string_view name,
                                  const std::vector<std::int64_t>& shape) {
  const Parameter& p = find(step, name);
  if (p.shape != shape)
    throw InputError(fmt::format("parameter {} of the model's {} step is {} where {} is needed", name,
                                 step.method, shape_text(p.shape), shape_text(shape)));
  return p.values;
}

double scalar_parameter(const Step& step, std::string_view name) { return parameter(step, name, {}).front(); }

std::span<const double> vector_parameter(const Step& step, std::string_view name) {
  const Parameter& p = find(step, name);
  if (p.shape.size() != 1)
    throw InputError(fmt::format("parameter {} of the model's {} step is {} where a list is needed", name,
                                 step.method, shape_text(p.shape)));
  return p.values;
}

}  // namespace plumb
