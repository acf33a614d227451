// What a regression's numbers say, in plain words. Rounded for reading; the exact numbers are in the table
// and the JSON.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "plumb/report/regression.hpp"
#include "report/look_up.hpp"
#include "report/text_table.hpp"

namespace plumb {
namespace {

using detail::value_of;

constexpr double kSameCoverage = 0.01;  ///< a point of coverage is not worth a complaint
constexpr double kSameFactor = 1.05;    ///< nor is a variance that is 5% off

std::string whole_percent(double share) { return fmt::format("{:.0f}%", 100 * share); }
std::string fine_percent(double share) { return fmt::format("{:.1f}%", 100 * share); }

/// "52%", or with a digit more where rounding would say that nothing is wrong.
std::string coverage_text(double share, double level) {
  const bool blurred = whole_percent(share) == whole_percent(level) || share > 0.99;
  return blurred ? fine_percent(share) : whole_percent(share);
}

std::string coverage_words(double coverage, const std::optional<double>& zms) {
  constexpr double kLevel = 0.9;
  const std::string holds =
      fmt::format("The 90% intervals hold {} of the targets", coverage_text(coverage, kLevel));
  const bool few = coverage<kLevel - kSameCoverage, many = coverage> kLevel + kSameCoverage;
  if (!zms || !(*zms > 0))
    return holds + (few ? ": the variance is too small." : many ? ": the variance is too large." : ".");
  const double factor = std::max(*zms, 1 / *zms);
  const bool small = *zms > kSameFactor, large = *zms < 1 / kSameFactor;
  if (few && small) return holds + fmt::format(": the variance is too small by a factor of {:.2g}.", factor);
  if (many && large) return holds + fmt::format(": the variance is too large by a factor of {:.2g}.", factor);
  if (many && small)
    return holds +
           fmt::format(
               ", yet the mean squared z-score is {:.2g}: a few large errors are not foreseen, most are "
               "smaller than foreseen.",
               *zms);
  if (few && large)
    return holds +
           fmt::format(
               ", yet the mean squared z-score is {:.2g}: the variance is too large for some items and too "
               "small for others.",
               *zms);
  if (few || many)
    return holds + fmt::format("; the variance is right on average (mean squared z-score {:.2f}).", *zms);
  if (small || large)
    return holds + fmt::format(", as they should; the mean squared z-score is {:.2f} instead of 1.", *zms);
  return holds + ", as they should, and the variance is right on average.";
}

/// The z-score weighs items alike, the squared error those of large errors: where they disagree, say so.
std::string error_words(double rmse, double foreseen, const std::optional<double>& zms) {
  const std::string text =
      fmt::format("The root mean squared error is {:.3g}; the variances foresee {:.3g}", rmse, foreseen);
  const double ratio = foreseen > 0 ? rmse * rmse / (foreseen * foreseen) : 1;
  if (zms && *zms < 1 / kSameFactor && ratio > kSameFactor)
    return text +
           ": a few large errors, which weigh most here, are larger than foreseen, typical ones smaller.";
  if (zms && *zms > kSameFactor && ratio < 1 / kSameFactor)
    return text + ": large errors, which weigh most here, are smaller than foreseen, typical ones larger.";
  return text + ".";
}

const Table* table_of(const Result& r, std::string_view name) {
  for (const auto& [key, t] : r.tables)
    if (key == name) return &t;
  return nullptr;
}

std::optional<double> cell(const Table& t, std::size_t row, std::string_view column) {
  const auto at = std::find(t.columns.begin(), t.columns.end(), column) - t.columns.begin();
  const double* x = std::get_if<double>(&t.rows.at(row).at(at));
  return x != nullptr ? std::optional(*x) : std::nullopt;
}

std::string rejection_words(const Table& t) {
  if (t.rows.size() < 2) return "";
  std::size_t row = 0;  // about the least certain fifth
  while (row + 1 < t.rows.size() && cell(t, row, "rejected").value_or(0) < 0.195) ++row;
  const double all = cell(t, 0, "mse").value_or(0), rest = cell(t, row, "mse").value_or(0);
  const std::string share = whole_percent(cell(t, row, "rejected").value_or(0));
  if (!(all > 0)) return "";
  const double ratio = rest / all;
  const std::string what = "Setting aside the least certain " + share + " of the items ";
  if (ratio > 0.98)
    return what + fmt::format("does not help: the mean squared error goes from {:.3g} to {:.3g}.", all, rest);
  return what + fmt::format("lowers the mean squared error by {} (from {:.3g} to {:.3g}).",
                            whole_percent(1 - ratio), all, rest);
}

std::string shift_words(const Result& r) {
  for (const auto& [name, section] : r.sections) {
    if (name != "shift") continue;
    const auto* members = std::get_if<Tree::Members>(&section.node);
    if (members == nullptr) continue;
    const auto number = [&](std::string_view key) {
      for (const auto& [k, v] : *members)
        if (const auto* value = std::get_if<Value>(&v.node); k == key && value != nullptr)
          if (const double* x = std::get_if<double>(value)) return *x;
      return 0.0;
    };
    const double auroc = number("auroc");
    const std::string means =
        fmt::format("an item here has the larger variance in {} of the pairs with a reference item",
                    whole_percent(auroc));
    if (std::abs(auroc - 0.5) < 0.05)
      return "The variances are like those of the reference set: " + means + ".";
    return std::string(auroc > 0.5 ? "The model is less sure here than on the reference set: "
                                   : "The model is surer here than on the reference set: ") +
           means + ".";
  }
  return "";
}

}  // namespace

std::vector<std::string> regression_words(const Result& r) {
  std::vector<std::string> out;
  if (const auto coverage = value_of(r.metrics, "coverage_90"))
    out.push_back(coverage_words(*coverage, value_of(r.metrics, "zms")));
  const auto mse = value_of(r.metrics, "mse"), sharpness = value_of(r.metrics, "sharpness");
  if (mse && sharpness) out.push_back(error_words(std::sqrt(*mse), *sharpness, value_of(r.metrics, "zms")));
  if (const Table* t = table_of(r, "rejection"))
    if (std::string words = rejection_words(*t); !words.empty()) out.push_back(std::move(words));
  if (std::string words = shift_words(r); !words.empty()) out.push_back(std::move(words));
  const GroupResult* worst = nullptr;
  double furthest = 0.02, its = 0;
  for (const GroupResult& g : r.per_group)
    for (const auto& [key, x] : g.metrics)
      if (key == "coverage_90" && x && std::abs(*x - 0.9) > furthest) {
        worst = &g;
        furthest = std::abs(*x - 0.9);
        its = *x;
      }
  if (worst != nullptr && r.per_group.size() > 1)
    out.push_back(
        fmt::format("Coverage is furthest off in slice {}: the 90% intervals hold {} of its targets.",
                    detail::printable(worst->group, 40), coverage_text(its, 0.9)));
  return out;
}

}  // namespace plumb
