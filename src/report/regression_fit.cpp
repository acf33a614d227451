#include <fmt/format.h>

#include "plumb/data/check.hpp"
#include "plumb/report/calibrate.hpp"

namespace plumb {
namespace {

std::string six_digits(const std::optional<double>& x) { return x ? fmt::format("{:.6g}", *x) : "-"; }

}  // namespace

std::string render_regression_fit(const Step& step, const std::vector<BeforeAfter>& scores) {
  std::string out = step.method + ":";
  for (const Parameter& p : step.parameters) {
    if (p.values.size() > 8) {
      out += " " + p.name + " (" + counted(std::ssize(p.values), "number") + ")";
      continue;
    }
    out += " " + p.name + " =";
    for (const double x : p.values) out += " " + six_digits(x);
  }
  if (step.method.starts_with("sigma") && step.parameters.size() == 1)
    out += "; standard deviations are multiplied by it, variances by its square";
  out += "\n";
  if (!scores.empty()) out += "On the data it was fitted on (optimistic):\n";
  for (const auto& [key, before, after] : scores)
    out += fmt::format("  {:<12}{} -> {}\n", key, six_digits(before), six_digits(after));
  return out;
}

}  // namespace plumb
