#include "plumb/report/stability.hpp"

#include <fmt/format.h>

#include "report/paragraphs.hpp"
#include "report/text_table.hpp"

namespace plumb {
namespace {

Tree spread(const Spread& s) {
  Tree::Members out;
  out.emplace_back("value", s.value);
  out.emplace_back("sd", s.sd);
  return out;
}

Tree curve(const StabilityCurve& c, const std::vector<double>& fractions) {
  Tree::Members out;
  out.emplace_back("fractions", Value(fractions));
  out.emplace_back("mean", Value(c.mean));
  out.emplace_back("sd", Value(c.sd));
  out.emplace_back("tv_mean", spread(c.tv_mean));
  out.emplace_back("tv_sum", spread(c.tv_sum));
  out.emplace_back("repeats", Value(std::int64_t{c.repeats}));
  return out;
}

Tree ratio(const EstimatorStability& e) {
  Tree::Members out;
  out.emplace_back("value", e.ratio ? Value(*e.ratio) : Value{});
  out.emplace_back("se", e.ratio ? Value(e.ratio_se) : Value{});
  return out;
}

std::string four_digits(double x) { return fmt::format("{:.4f}", x); }

}  // namespace

Tree stability_section(const Stability& s) {
  Tree::Members out;
  for (const EstimatorStability& e : s.estimators) {
    Tree::Members one;
    one.emplace_back("multi", curve(e.multi, s.fractions));
    if (e.has_single) {
      one.emplace_back("single", curve(e.single, s.fractions));
      one.emplace_back("ratio", ratio(e));
    }
    out.emplace_back(e.key, std::move(one));
  }
  return out;
}

Table precision_table(const Stability& s) {
  Table t;
  t.columns = {"metric", "items", "raters", "se"};
  for (const EstimatorStability& e : s.estimators)
    for (const PrecisionRow& p : e.precision)
      t.rows.push_back({e.key, p.items, p.raters == 0 ? Value{} : Value(std::int64_t{p.raters}), p.se});
  return t;
}

std::string render_stability(const Stability& s, const TerminalOptions& options) {
  std::string out = fmt::format("{} units, subsets from {:.0f}% to 100%\n", detail::thousands(s.units),
                                100 * s.fractions.front());
  for (const EstimatorStability& e : s.estimators) {
    const std::vector<std::string> plain{"share", "units", "mean", "sd"};
    const std::vector<std::string> both{"share", "units", "all votes", "sd", "one label", "sd"};
    detail::TextTable table(e.has_single ? both : plain);
    for (std::size_t c = 0; c < (e.has_single ? both : plain).size(); ++c) table.right(c);
    for (std::size_t f = 0; f < s.fractions.size(); ++f) {
      std::vector<std::string> row{fmt::format("{:.2f}", s.fractions[f]),
                                   fmt::format("{}", e.precision[f].items), four_digits(e.multi.mean[f]),
                                   four_digits(e.multi.sd[f])};
      if (e.has_single) row.insert(row.end(), {four_digits(e.single.mean[f]), four_digits(e.single.sd[f])});
      table.add(std::move(row));
    }
    out += fmt::format("\n{}\n{}", e.key, table.render(options.colour, options.width));
    if (e.ratio)
      out += detail::paragraphs(
          {fmt::format(
              "Total variation: {} with one label, {} with all votes; ratio {:.2f} (standard error {:.2f}).",
              four_digits(e.single.tv_sum.value), four_digits(e.multi.tv_sum.value), *e.ratio, e.ratio_se)},
          options);
    for (const PrecisionRow& p : e.precision)
      if (p.raters > 0)
        out += fmt::format("  With {} {} per item its standard error would be {}.\n", p.raters,
                           p.raters == 1 ? "vote" : "votes", four_digits(p.se));
  }
  return out;
}

Table within_table(const WithinCases& w) {
  Table t;
  t.columns = {"case", "metric", "items", "multi_tv", "single_tv", "ratio"};
  for (const CaseVariation& c : w.cases)
    for (const EstimatorStability& e : c.estimators)
      t.rows.push_back({c.name, e.key, c.items, e.multi.tv_sum.value,
                        e.has_single ? Value(e.single.tv_sum.value) : Value{},
                        e.ratio ? Value(*e.ratio) : Value{}});
  return t;
}

Table over_cases_table(const WithinCases& w) {
  Table t;
  t.columns = {"metric", "quantity", "mean", "sd", "cases"};
  for (const WithinEstimator& e : w.estimators)
    for (const auto& [name, q] :
         {std::pair("multi_tv", &e.multi), std::pair("single_tv", &e.single), std::pair("ratio", &e.ratio)})
      t.rows.push_back({e.key, std::string(name), q->cases > 0 ? Value(q->mean) : Value{},
                        q->sd ? Value(*q->sd) : Value{}, q->cases});
  return t;
}

std::string render_within(const WithinCases& w, const TerminalOptions& options) {
  std::string out = fmt::format(
      "{} cases, subsets of the voxels of each case from {:.0f}% to 100%; total variation over cases\n\n",
      w.cases.size(), 100 * w.fractions.front());
  detail::TextTable table({"metric", "all votes", "sd", "one label", "sd", "ratio", "sd", "cases"});
  for (std::size_t c = 1; c < 8; ++c) table.right(c);
  const auto cell_text = [](const OverCases& q, bool spread) -> std::string {
    if (q.cases == 0 || (spread && !q.sd)) return "-";
    return fmt::format("{:.4g}", spread ? *q.sd : q.mean);
  };
  for (const WithinEstimator& e : w.estimators)
    table.add({e.key, cell_text(e.multi, false), cell_text(e.multi, true), cell_text(e.single, false),
               cell_text(e.single, true), cell_text(e.ratio, false), cell_text(e.ratio, true),
               std::to_string(e.multi.cases)});
  return out + table.render(options.colour, options.width);
}

}  // namespace plumb
