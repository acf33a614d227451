#include "plumb/report/results.hpp"

#include "plumb/report/compare.hpp"
#include "plumb/report/stability.hpp"

namespace plumb {
namespace {

Result headed(const char* command) {
  Result r;
  r.version = version();
  r.command = command;
  return r;
}

std::string unit_name(const Items& items) { return items.groups.empty() ? "item" : "group"; }
std::string binning_name(const EvaluateOptions& o) { return o.binning == Binning::width ? "width" : "mass"; }
std::string leave_out_name(const EvaluateOptions& o) {
  return o.leave_out == LeaveOut::vote ? "vote" : "item";
}

std::vector<std::pair<std::string, Value>> uncertainty_settings(const UncertaintyOptions& o) {
  return {
      {"top", std::int64_t{o.top}},
      {"bins", std::int64_t{o.bins.value_or(kEqualMassBins)}},
      {"eor_bins",
       std::string(
           o.bins || o.coarsen > 0
               ? "the bins of the other scores"
               : "by the rarer outcome: min(100, floor(W/25)) bins, W its votes; edges at its quantiles of the measure")},
      {"bin", std::string("min(bins-1, floor(bins * share of weight with a smaller measure))")},
      {"degenerate", std::string(degenerate_name(o.degenerate))},
      {"base_rate", o.base_rate ? Value(*o.base_rate) : Value(std::string("observed"))},
      {"coarsen", o.coarsen},
      {"targets", o.targets},
      {"confidence", o.confidence},
      {"argmax_ties", std::string("lowest class")},
      {"weighting", std::string("each vote one, times the item's weight")},
      {"bootstrap", std::int64_t{o.bootstrap}},
      {"permutations", std::int64_t{o.permutations}},
      {"level", o.level},
      {"seed", o.seed}};
}

}  // namespace

void set_task(Result& result, const Items& items) {
  result.task = items.binary() ? "binary" : "multiclass";
  result.items = items.size();
  result.classes = items.classes();
  result.class_names = items.class_names;
}

Value bandwidth_setting(const EvaluateOptions& o, const std::string& for_what) {
  if (o.bandwidth > 0) return o.bandwidth;
  return std::string(o.bandwidth_rule == BandwidthRule::votes ? "auto" : "likelihood") + for_what;
}

Result compare_result(const Comparison& c, const Items& items, const EvaluateOptions& o) {
  Result r = headed("compare");
  set_task(r, items);
  r.votes = c.votes;
  r.settings = {{"bins", std::int64_t{o.bins}},
                {"binning", binning_name(o)},
                {"clip", o.clip},
                {"bootstrap", std::int64_t{o.bootstrap}},
                {"level", o.level},
                {"tolerance", o.tolerance},
                {"seed", o.seed},
                {"bandwidth", bandwidth_setting(o, ", for each model")},
                {"leave_out", leave_out_name(o)},
                {"unit", unit_name(items)}};
  r.notes = c.notes;
  r.sections.emplace_back("compare", compare_section(c));
  if (!c.net_benefit.rows.empty()) r.tables.emplace_back("net_benefit", c.net_benefit);
  return r;
}

Result stability_result(const Stability& s, const Items& items, const StabilityOptions& o,
                        const std::string& single) {
  Result r = headed("stability");
  set_task(r, items);
  r.votes = s.votes;
  r.settings = {{"estimators", o.estimators},
                {"from", o.from},
                {"step", o.step},
                {"repeats", std::int64_t{o.repeats}},
                {"subsets", std::string(o.subsets == Subsets::nested ? "nested" : "independent")},
                {"single", single},
                {"ties", std::string(ties_name(o.evaluate.ties))},
                {"unit", unit_name(items)},
                {"bins", std::int64_t{o.evaluate.bins}},
                {"binning", binning_name(o.evaluate)},
                {"clip", o.evaluate.clip},
                {"bandwidth", bandwidth_setting(o.evaluate)},
                {"leave_out", leave_out_name(o.evaluate)},
                {"seed", o.evaluate.seed}};
  r.sections.emplace_back("stability", stability_section(s));
  r.tables.emplace_back("precision", precision_table(s));
  return r;
}

Result uncertainty_result(const UncertaintyResult& r, const UncertaintyOptions& o, const Items* items,
                          const ItemNames& names, const std::vector<std::string>& pictures) {
  Result out = headed("uncertainty");
  out.settings = uncertainty_settings(o);
  out.task = "binary";
  out.classes = 2;
  if (items != nullptr) {
    set_task(out, *items);
    out.votes = r.votes;
    const bool logits = items->predictions.scale() == Scale::logit;
    out.settings.emplace_back("scale", std::string(logits ? "logits" : "probabilities"));
    out.settings.emplace_back("samples", std::int64_t{items->predictions.samples()});
    out.settings.emplace_back("unit", unit_name(*items));
    out.settings.emplace_back("suspects_by", r.suspects_by);
  }
  out.notes = uncertainty_notes(r, o);
  out.sections.emplace_back("accuracy", Value(r.accuracy));
  out.sections.emplace_back("base_accuracy", Value(r.base));
  out.sections.emplace_back("measures", measures_section(r));
  out.sections.emplace_back("suspects", suspects_section(r, names, pictures));
  return out;
}

Tree annotations_section(const JoinCounts& c, Duplicates duplicates) {
  return Tree::Members{{"judgements", Value(c.judgements)},
                       {"used", Value(c.used)},
                       {"items", Value(c.items)},
                       {"items_without_prediction", Value(c.items_unpredicted)},
                       {"predictions_without_annotation", Value(c.unannotated)},
                       {"repeated", Value(c.repeated)},
                       {"without_label", Value(c.without_label)},
                       {"duplicates", Value(std::string(duplicates_name(duplicates)))}};
}

}  // namespace plumb
