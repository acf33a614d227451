// Results about several raters: tables and per-class values beside the keys.
#include "evaluate/describe.hpp"
#include "plumb/metrics/raters/agreement.hpp"
#include "plumb/metrics/raters/disagreement.hpp"
#include "plumb/metrics/raters/label_histogram.hpp"
#include "plumb/metrics/raters/rater_pairs.hpp"
#include "plumb/metrics/raters/rater_table.hpp"
#include "plumb/numeric/narrow.hpp"

namespace plumb::detail {
namespace {

Value or_null(const std::optional<double>& x) { return x ? Value(*x) : Value{}; }
Value whole(std::uint64_t x) { return static_cast<std::int64_t>(x); }

Table histogram_table(const ShareTables& t) {
  Table out;
  out.columns = {"class", "low", "high",      "items", "items_several", "weight", "mean_p",    "mean_mu",
                 "gap",   "lsq", "cl_plugin", "cl",    "el_plugin",     "el",     "dl_plugin", "dl",
                 "il"};
  for (const HistogramRow& r : label_histogram_rows(t))
    out.rows.push_back({std::int64_t{r.cls}, r.low, r.high, whole(r.items), whole(r.items_several), r.weight,
                        or_null(r.mean_p), or_null(r.mean_mu), or_null(r.gap), or_null(r.lsq),
                        or_null(r.cl_plugin), or_null(r.cl), or_null(r.el_plugin), or_null(r.el),
                        or_null(r.dl_plugin), or_null(r.dl), or_null(r.il)});
  return out;
}

Table disagreement_table(const ShareTables& t) {
  Table out;
  out.columns = {"low", "high", "items", "votes", "weight", "mean_p", "mean_y", "gap"};
  for (const DisagreementRow& r : disagreement_rows(t))
    out.rows.push_back({r.low, r.high, whole(r.items), whole(r.votes), r.weight, or_null(r.mean_p),
                        or_null(r.mean_y), or_null(r.gap)});
  return out;
}

/// The raters' own names; where nothing names them, their numbers.
class RaterNames {
 public:
  explicit RaterNames(const Votes& votes) : votes_(votes) {}
  [[nodiscard]] Value of(std::int64_t rater) const {
    return votes_.names_raters() ? Value(votes_.rater_name(narrow<int>(rater))) : Value(rater);
  }

 private:
  const Votes& votes_;
};

void add_classes(const ClassScores& scores, const Selection& selection, Result& result) {
  for (const auto& [key, values] : scores)
    if (selection.has(key)) result.per_class.emplace_back(key, values);
}

}  // namespace

void add_rater_tables(const StreamSums& sums, const Selection& selection, Result& result) {
  if (selection.products.has(Product::histogram)) {
    add_classes(label_histogram_classes(sums.histogram), selection, result);
    result.tables.emplace_back("label_histogram", histogram_table(sums.histogram));
  }
  if (!sums.several_votes) return;
  if (selection.products.has(Product::disagreement)) {
    add_classes(disagreement_classes(sums.disagreement, static_cast<int>(result.classes)), selection, result);
    result.tables.emplace_back("disagreement_reliability", disagreement_table(sums.disagreement));
  }
  if (selection.products.has(Product::agreement))
    add_classes(agreement_classes(sums.agreement), selection, result);
}

void add_rater_results(const Items& items, const StreamSums& sums, const Selection& selection, int threads,
                       Result& result) {
  add_rater_tables(sums, selection, result);
  if (items.votes.raters() == 0 || !selection.products.has(Product::agreement)) return;
  const RaterNames names(items.votes);
  Table out;
  out.columns = {"rater", "items", "shared", "pairs", "agree_others", "agree_majority", "agree_model"};
  for (const RaterRow& r : rater_rows(rater_table(items, threads)))
    out.rows.push_back({names.of(r.rater), whole(r.items), whole(r.shared), whole(r.pairs), or_null(r.others),
                        or_null(r.majority), or_null(r.model)});
  result.tables.emplace_back("raters", std::move(out));
  if (items.votes.raters() > kMostRatersInPairs) return;
  Table pairs;
  pairs.columns = {"rater", "other", "items", "agree", "agreement"};
  for (const RaterPair& p : rater_pairs(items, threads))
    pairs.rows.push_back(
        {names.of(p.rater), names.of(p.other), whole(p.items), whole(p.agree), or_null(p.share)});
  result.tables.emplace_back("rater_pairs", std::move(pairs));
}

}  // namespace plumb::detail
