// A regression's result in plain words. Rounded for reading; the exact numbers are in the table and the JSON.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "plumb/report/regression.hpp"
#include "report/look_up.hpp"
#include "report/rounded.hpp"
#include "report/text_table.hpp"
#include "report/verdict_words.hpp"
#include "report/words.hpp"

namespace plumb {
namespace {

using detail::Claim;
using detail::factor_text_beside;
using detail::find;
using detail::level_text;
using detail::Round;
using detail::Sentence;
using detail::value_of;

std::string whole_percent(double share) { return fmt::format("{:.0f}%", 100 * share); }
std::string fine_percent(double share) { return fmt::format("{:.1f}%", 100 * share); }

/// "52%", or with a digit more where rounding would say that nothing is wrong.
std::string coverage_text(double share, double level) {
  const bool blurred = whole_percent(share) == whole_percent(level) || share > 0.99;
  return blurred ? fine_percent(share) : whole_percent(share);
}

Sentence coverage_words(const Result& r, const MetricResult& coverage) {
  std::string text =
      fmt::format("The 90% intervals contain {} of the targets", coverage_text(*coverage.value, 0.9));
  if (coverage.low && coverage.high)
    text += fmt::format(" ({} interval {}% to {}%)", level_text(r),
                        detail::decimals_text(100 * *coverage.low, 1, Round::down, true),
                        detail::decimals_text(100 * *coverage.high, 1, Round::up, true));
  return {text + "."};
}

/// Which side of 1 the mean squared z-score is on is claimed where its interval excludes 1.
Sentence variance_words(const Result& r, const MetricResult& zms) {
  const double z = *zms.value;
  if (!(z > 0) || !zms.low || !zms.high || (*zms.low <= 1 && 1 <= *zms.high))
    return {fmt::format("The mean squared z-score is {}; it is 1 for calibrated variances.",
                        factor_text_beside(z, 1))};
  const bool small = *zms.low > 1, trusted = r.verdict.verdict == "trustworthy";
  const auto factor = [&](double x) { return small ? x : 1 / x; };
  Sentence out{fmt::format("The variances are too {} by a factor of about {} ({} interval {} to {}){}.",
                           small ? "small" : "large", factor_text_beside(factor(z), 1), level_text(r),
                           factor_text_beside(factor(small ? *zms.low : *zms.high), 1, Round::down),
                           factor_text_beside(factor(small ? *zms.high : *zms.low), 1, Round::up),
                           trusted ? ", which is within the tolerance" : ""),
               {small ? Claim::sigma_too_small : Claim::sigma_too_large}};
  if (trusted) out.claims.push_back(Claim::within_tolerance);
  const MetricResult* c = find(r.metrics, "coverage_90");
  if (c == nullptr || !c->low || !c->high) return out;
  if (small && *c->low > 0.9) out.text += " Few errors are much larger than predicted; most are smaller.";
  if (!small && *c->high < 0.9) out.text += " They are too large for some items and too small for others.";
  return out;
}

/// zms weighs items by their precision, the mean squared error by nothing: where the two point in different
/// directions the ratio of error to variance falls or rises with the variance, and the sentence says so.
Sentence error_words(double rmse, double predicted, const Sentence& variances) {
  Sentence out{fmt::format("The root mean squared error is {:.3g}; the predicted variances imply {:.3g}.",
                           rmse, predicted)};
  if (rmse == predicted) return out;
  out.claims.push_back(rmse > predicted ? Claim::errors_above : Claim::errors_below);
  const auto claimed = [&](Claim c) {
    return std::find(variances.claims.begin(), variances.claims.end(), c) != variances.claims.end();
  };
  const bool small = claimed(Claim::sigma_too_small), large = claimed(Claim::sigma_too_large);
  if (!(small && rmse < predicted) && !(large && rmse > predicted)) return out;
  out.text += small ? " Errors exceed the predicted ones mainly where the variance is small."
                    : " Errors stay below the predicted ones mainly where the variance is small.";
  out.claims.push_back(Claim::sigma_mixed);
  return out;
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
  const std::string what = "Leaving out the least certain " + share + " of the items ";
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
    return std::string(auroc > 0.5 ? "The model is less certain here than on the reference set: "
                                   : "The model is more certain here than on the reference set: ") +
           means + ".";
  }
  return "";
}

}  // namespace

namespace detail {

std::vector<Sentence> regression_sentences(const Result& r) {
  std::vector<Sentence> out;
  if (const MetricResult* m = find(r.metrics, "coverage_90"); m != nullptr && m->value)
    out.push_back(coverage_words(r, *m));
  Sentence variances;
  if (const MetricResult* m = find(r.metrics, "zms"); m != nullptr && m->value)
    out.push_back(variances = variance_words(r, *m));
  const auto mse = value_of(r.metrics, "mse"), sharpness = value_of(r.metrics, "sharpness");
  if (mse && sharpness) out.push_back(error_words(std::sqrt(*mse), *sharpness, variances));
  if (const Table* t = table_of(r, "rejection"))
    if (std::string words = rejection_words(*t); !words.empty()) out.push_back({std::move(words)});
  if (std::string words = shift_words(r); !words.empty()) out.push_back({std::move(words)});
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
        {fmt::format("Of the slices, {} is furthest from 90%: its intervals contain {} of {} targets.",
                     printable(worst->group, 40), coverage_text(its, 0.9), worst->items)});
  return out;
}

}  // namespace detail

std::vector<std::string> regression_words(const Result& r) {
  std::vector<std::string> out;
  for (const Sentence& s : detail::regression_sentences(r)) out.push_back(s.text);
  return out;
}

}  // namespace plumb
