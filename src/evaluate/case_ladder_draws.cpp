#include "evaluate/case_ladder_draws.hpp"

#include "evaluate/runs.hpp"
#include "evaluate/selection.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb::detail {

Selection LadderDraws::resampled(const Selection& part) {
  constexpr ProductSet kSorted{Product::event_column, Product::confidence_column};
  return part.part([&](const MetricRow& row) {
    return kSorted.has(run_of(row).needs(part.binary)) &&
           (row.interval == Interval::percentile || row.interval == Interval::logit);
  });
}

void LadderDraws::add(const std::string& unit, const Ladder& ladder) {
  const std::uint64_t hash = hash_name(unit);
  const std::vector<LadderRung> rungs = ladder.rungs();
  if (rungs.empty()) return;
  for (std::size_t r = 0; r < counts_.size(); ++r) {
    const std::uint64_t times = random_poisson(seed_, narrow<std::uint32_t>(r), hash);
    if (times == 0) continue;
    std::vector<Counts>& own = counts_[r];
    if (own.size() <= rungs.back().index) own.resize(rungs.back().index + 1);
    for (const LadderRung& rung : rungs) {
      Counts& c = own[rung.index];
      c.votes += times * static_cast<std::uint64_t>(rung.votes);
      c.hits += times * static_cast<std::uint64_t>(rung.hits);
    }
  }
}

void LadderDraws::score(const Selection& selection, const Ladder& all, const EvaluateOptions& o,
                        std::vector<Drawn>& draws) const {
  const Selection part = resampled(ladder_part(selection, o));
  if (part.rows.empty()) return;
  const std::vector<LadderRung> rungs = all.rungs();
  parallel_blocks(std::ssize(draws), 1, o.threads, [&](int, std::int64_t r, std::int64_t) {
    std::vector<LadderRung> own;
    for (const LadderRung& rung : rungs) {
      if (rung.index >= counts_[r].size() || counts_[r][rung.index].votes == 0) continue;
      const Counts& c = counts_[r][rung.index];
      LadderRung drawn = rung;
      drawn.votes = static_cast<double>(c.votes);
      drawn.hits = static_cast<double>(c.hits);
      own.push_back(drawn);
    }
    const Forecasts event = column_of(own);
    const Forecasts confidence = part.binary ? confidence_of(event, 1) : Forecasts{};
    const ForecastsView view = event.view();
    const ColumnProducts columns{view, part.binary ? confidence.view() : view, {}, {}, nullptr, nullptr};
    finish(part,
           Products(columns, part.products.both(kByLadder),
                    {o.bins, o.clip, o.leave_out, part.binary, false, 1, o.curve, o.bandwidth}),
           draws[r].scores);
  });
}

}  // namespace plumb::detail
