// The audit of slices: whether all differences from the rest are covered at once, and what is ranked first.
#include <map>

#include "laws/laws.hpp"
#include "laws/simulated.hpp"
#include "plumb/evaluate/audit.hpp"

namespace plumb::laws {
namespace {

const std::vector<std::string> kAuditKeys{"accuracy", "nll", "brier", "oe_ratio", "auroc", "gap"};

struct AuditSetting {
  Setting data;
  int slices = 8;     ///< by chance
  bool by_p = false;  ///< a second way: thirds of the forecast, whose metrics differ
};

Names in_turn(std::int64_t n, int slices) {
  std::vector<std::int64_t> code(n);
  for (std::int64_t i = 0; i < n; ++i) code[i] = (i / std::max<std::int64_t>(n / 40, 1)) % slices;
  return Names(Rows(array_of(code, {n}, "turn.npy")));
}

Names thirds(const laws::Drawn& d) {
  std::vector<std::int64_t> code;
  for (const double p : d.votes.z) code.push_back(p < 0.33 ? 0 : p < 0.67 ? 1 : 2);
  const auto n = std::ssize(code);
  return Names(Rows(array_of(std::move(code), {n}, "third.npy")));
}

Items audited(const AuditSetting& s, std::uint64_t seed, int n) {
  Setting data = s.data;
  data.n = n;
  const Drawn d = draw(data, seed);
  Items items = items_of(d);
  items.by = {in_turn(items.size(), s.slices)};
  if (s.by_p) items.by.push_back(thirds(d));
  return items;
}

Result audit_of(const Items& items, std::uint64_t seed) {
  return audit(items, {.evaluate = {.metrics = {"accuracy", "nll", "brier", "oe_ratio", "auroc"},
                                    .bootstrap = 200,
                                    .seed = seed,
                                    .threads = 1},
                       .min_items = 30,
                       .rank = "brier"});
}

/// Differences by metric, way and slice.
std::map<std::string, double> differences(const Result& r) {
  std::map<std::string, double> out;
  for (const auto& [name, t] : r.tables) {
    if (name != "audit") continue;
    for (const auto& row : t.rows)
      if (const auto* d = std::get_if<double>(&row[7]))
        out[std::get<std::string>(row[0]) + std::get<std::string>(row[1]) + std::get<std::string>(row[2])] =
            *d;
  }
  return out;
}

/// By metric: whether all slices cover their true difference.
std::map<std::string, bool> covers(const Result& r, const std::map<std::string, double>& truth) {
  std::map<std::string, bool> out;
  for (const auto& [name, t] : r.tables) {
    if (name != "audit") continue;
    for (const auto& row : t.rows) {
      const auto* low = std::get_if<double>(&row[8]);
      if (low == nullptr) continue;
      const auto key = std::get<std::string>(row[0]), by = std::get<std::string>(row[1]);
      const double d = by == "turn" ? 0 : truth.at(key + by + std::get<std::string>(row[2]));
      bool& all = out.try_emplace(key, true).first->second;
      all = all && *low <= d && d <= std::get<double>(row[9]);
    }
  }
  return out;
}

void cover_differences(Book& book, const AuditSetting& s) {
  std::map<std::string, double> truth;
  if (s.by_p) {
    Setting big = s.data;
    big.groups = 0;
    truth = differences(
        audit(audited({big, s.slices, true}, 12345, book.whole() ? 400'000 : 60'000),
              {.evaluate = {.metrics = {"accuracy", "nll", "brier", "oe_ratio", "auroc"}, .bootstrap = 20},
               .rank = "brier"}));
  }
  const auto sets = simulate_sets(book.sets(400, 24), book.seed(), [&](std::uint64_t seed) {
    return covers(audit_of(audited(s, seed, s.data.n), seed), truth);
  });
  for (const std::string& key : kAuditKeys) {
    std::vector<char> hits;
    for (const auto& one : sets)
      if (one.contains(key)) hits.push_back(one.at(key));
    if (!hits.empty())
      book.rate("the intervals of the difference of `" + key + "` from the rest cover in all slices",
                s.data.name, {0.93, 1}, hits);
  }
}

/// Seven slices of 400 items and one of 60, all calibrated: by the plug-in ECE the small one is nearly always
/// the worst.
void rank_small(Book& book) {
  const auto first = simulate_sets(book.sets(300, 30), book.seed(), [](std::uint64_t seed) {
    const Drawn d = draw({.n = 2860}, seed);
    Items items = items_of(d);
    std::vector<std::int64_t> code(items.size());
    for (std::int64_t i = 0; i < items.size(); ++i) code[i] = i < 60 ? 7 : i % 7;
    items.by = {Names(Rows(array_of(code, {items.size()}, "slice.npy")))};
    const Result r =
        audit(items, {.evaluate = {.metrics = {"ece"}, .bootstrap = 200, .seed = seed, .threads = 1}});
    for (const auto& [name, t] : r.tables)
      if (name == "audit_ranks") return std::get<std::string>(t.rows[0][2]) == "7";
    return true;
  });
  book.rate("the smallest of 8 calibrated slices is ranked first by `ece`",
            "7 slices of 400 items, one of 60", {0, 0.4}, first);
}

/// Metrics whose sums do not add up, of slices by chance: no true difference.
void cover_drawn(Book& book, const Setting& data, int slices) {
  const std::vector<std::string> keys{
      "calibration_slope", "calibration_intercept", "ece_l2_debiased", "cl", "auprc", "aurc", "lsq"};
  const auto sets = simulate_sets(book.sets(200, 8), book.seed(), [&](std::uint64_t seed) {
    const Result r =
        audit(audited({data, slices}, seed, data.n),
              {.evaluate = {.metrics = keys, .bootstrap = 100, .seed = seed, .threads = 1}, .min_items = 30});
    return covers(r, {});
  });
  for (const std::string& key : keys) {
    std::vector<char> hits;
    for (const auto& one : sets)
      if (one.contains(key)) hits.push_back(one.at(key));
    book.rate("the intervals of the difference of `" + key + "` from the rest cover in all slices", data.name,
              {0.93, 1}, hits);
  }
}

void audits(Book& book) {
  cover_differences(book, {{.name = "8 slices of 100, slope 0.74", .n = 800, .slope = 0.74}});
  rank_small(book);
  cover_differences(
      book,
      {{.name = "8 slices of 100 and thirds of the forecast, slope 0.74", .n = 800, .slope = 0.74}, 8, true});
  if (!book.whole()) return;
  cover_differences(book, {{.name = "4 slices of 60, calibrated", .n = 240}, 4});
  cover_differences(book,
                    {{.name = "8 slices of 300, rare events (5%)", .n = 2400, .mean = -3.5, .spread = 1}});
  cover_differences(book, {{.name = "5 votes, 6 slices of 50 items", .n = 300, .votes = 5}, 6});
  cover_differences(book, {{.name = "60 groups of 10 in 5 slices, correlated", .n = 600, .groups = 60}, 5});
}
const Topic kAudits{"audit", audits};

void audits_of_drawn(Book& book) {
  cover_drawn(book, {.name = "6 slices of 100, slope 0.74", .n = 600, .slope = 0.74}, 6);
  if (!book.whole()) return;
  cover_drawn(book, {.name = "6 slices of 100, calibrated", .n = 600}, 6);
  cover_drawn(book, {.name = "5 votes, 4 slices of 75 items", .n = 300, .votes = 5}, 4);
  cover_drawn(book, {.name = "60 groups of 10 in 4 slices, correlated", .n = 600, .groups = 60}, 4);
}
const Topic kAuditsOfDrawn{"audit drawn", audits_of_drawn};

}  // namespace
}  // namespace plumb::laws
