// GCC 12 takes the moved-from alternatives of a variant for uninitialised (GCC bug 105562).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "plumb/data/check.hpp"
#include "plumb/report/uncertainty.hpp"

namespace plumb {
namespace {

Value maybe(const std::optional<double>& x) {
  Value out;
  if (x && std::isfinite(*x)) out.emplace<double>(*x);
  return out;
}
Value finite(double x) { return maybe(x); }

Tree metric(const MetricResult& m) {
  Tree::Members out;
  out.emplace_back("value", maybe(m.value));
  if (!m.value) out.emplace_back("why", Value(m.why));
  if (m.low) out.emplace_back("low", Value(*m.low));
  if (m.high) out.emplace_back("high", Value(*m.high));
  if (!m.interval.empty()) out.emplace_back("interval", Value(m.interval));
  if (m.null_mean) out.emplace_back("null_mean", Value(*m.null_mean));
  if (m.p_value) out.emplace_back("p_value", Value(*m.p_value));
  return out;
}

Tree bin(const UncertaintyBin& b, double mass, double base, bool counted) {
  Tree::Members out;
  if (counted) {
    out.emplace_back("low", finite(b.low));
    out.emplace_back("high", finite(b.high));
    out.emplace_back("items", Value(b.items));
    out.emplace_back("votes", Value(b.votes));
  }
  out.emplace_back("weight", Value(b.mass / mass));
  out.emplace_back("accuracy", Value(b.accuracy()));
  std::optional<double> odds;
  if (base > 0 && base < 1) odds = odds_ratio_score(b.accuracy(), base);
  out.emplace_back("odds_ratio", maybe(odds));
  if (counted) {
    out.emplace_back("error", maybe(b.error));
    out.emplace_back("relative_error", maybe(b.relative_error()));
  }
  return out;
}

Tree part(double share, const std::optional<double>& accuracy) {
  Tree::Members out;
  out.emplace_back("share", Value(share));
  out.emplace_back("accuracy", maybe(accuracy));
  return out;
}

Tree thresholds(const MeasureResult& m) {
  Tree::List out;
  for (const Threshold& cut : m.thresholds.cuts) {
    Tree::Members row;
    row.emplace_back("target", Value(cut.target));
    row.emplace_back("threshold", maybe(cut.value));
    row.emplace_back("share", Value(cut.share));
    row.emplace_back("accuracy", maybe(cut.accuracy));
    row.emplace_back("kept", part(cut.kept_share, cut.kept_accuracy));
    if (out.size() < m.guarantees.size()) {
      const Guarantee& g = m.guarantees[out.size()];
      Tree::Members sure;
      sure.emplace_back("threshold", maybe(g.value));
      sure.emplace_back("share", Value(g.share));
      sure.emplace_back("accuracy", maybe(g.accuracy));
      row.emplace_back("guaranteed", std::move(sure));
    }
    out.emplace_back(std::move(row));
  }
  return out;
}

Tree deferral(const std::vector<DeferralPoint>& points) {
  Tree::List out;
  for (const DeferralPoint& p : points) {
    Tree::Members row;
    row.emplace_back("handed_over", Value(p.handed_over));
    row.emplace_back("threshold", finite(p.threshold));
    row.emplace_back("accuracy", Value(p.accuracy));
    out.emplace_back(std::move(row));
  }
  return out;
}

Tree bin_list(const std::vector<UncertaintyBin>& bins, double base, bool counted) {
  double mass = 0;
  for (const UncertaintyBin& b : bins) mass += b.mass;
  Tree::List out;
  for (const UncertaintyBin& b : bins) out.push_back(bin(b, mass, base, counted));
  return out;
}

Tree measure(const MeasureResult& m, double base) {
  Tree::Members out;
  if (!m.why.empty()) {
    out.emplace_back("why", Value(m.why));
    return out;
  }
  for (const auto& [key, value] : m.scores) out.emplace_back(key, metric(value));
  out.emplace_back("eor_bins", Value(m.eor_bins));
  out.emplace_back("pooled_bins", Value(m.pooled_bins));
  const bool counted = m.name != "histogram";
  if (counted) {
    out.emplace_back("doubtful_bins", Value(m.doubtful_bins));
    out.emplace_back("thresholds", thresholds(m));
    out.emplace_back("rest", part(m.thresholds.rest_share, m.thresholds.rest_accuracy));
    out.emplace_back("deferral", deferral(m.deferral));
  }
  out.emplace_back("bins", bin_list(m.bins, base, counted));
  if (!m.odds_bins.empty()) out.emplace_back("odds_bins", bin_list(m.odds_bins, base, counted));
  return out;
}

Value class_value(std::int64_t k, const ItemNames& names) {
  if (names.classes.empty()) return k;
  return names.classes[k];
}

Value id_value(std::int64_t row, const ItemNames& names) {
  if (names.ids.empty()) return row;
  return names.ids.name(row);
}

/// A text cell. Spreadsheets interpret text that begins with = + - @, a tab or a line break as a formula
/// (full-width forms too), so such text gets a leading quote; numbers stay unchanged.
std::string quoted(const std::string& text) {
  std::string cell = text;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc{} && end == text.data() + text.size();
  const auto first = text.find_first_not_of(' ');
  const std::string_view rest =
      first == std::string::npos ? std::string_view{} : std::string_view(text).substr(first);
  bool formula = !rest.empty() && std::string_view("=+-@\t\r\n|%").find(rest[0]) != std::string_view::npos;
  for (const char* wide : {"\uff1d", "\uff0b", "\uff0d", "\uff20"})
    formula = formula || rest.starts_with(wide);
  if (formula && !is_number) cell = "'" + cell;
  if (cell.find_first_of(",;\"\t\r\n") == std::string::npos) return cell;
  std::string out = "\"";
  for (const char c : cell) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace

Tree measures_section(const UncertaintyResult& r) {
  Tree::Members out;
  for (const MeasureResult& m : r.measures) out.emplace_back(m.name, measure(m, r.base));
  return out;
}

Tree suspects_section(const UncertaintyResult& r, const ItemNames& names,
                      const std::vector<std::string>& pictures) {
  Tree::List out;
  for (const Suspect& s : r.suspects) {
    Tree::Members row;
    row.emplace_back("id", id_value(s.row, names));
    row.emplace_back("row", Value(s.row));
    row.emplace_back("label", class_value(s.label, names));
    row.emplace_back("prediction", class_value(s.prediction, names));
    row.emplace_back("agreement", Value(s.agreement));
    row.emplace_back("score", finite(s.score));
    if (out.size() < pictures.size() && !pictures[out.size()].empty())
      row.emplace_back("image", Value(pictures[out.size()]));
    out.emplace_back(std::move(row));
  }
  return out;
}

std::string suspects_csv(const UncertaintyResult& r, const ItemNames& names) {
  const auto name = [&](std::int64_t k) {
    return names.classes.empty() ? std::to_string(k) : quoted(names.classes[k]);
  };
  std::string out = "id,row,label,prediction,agreement,score\n";
  for (const Suspect& s : r.suspects)
    out += fmt::format("{},{},{},{},{},{}\n",
                       names.ids.empty() ? std::to_string(s.row) : quoted(names.ids.name(s.row)), s.row,
                       name(s.label), name(s.prediction), show(s.agreement), show(s.score));
  return out;
}

}  // namespace plumb
