#include "plumb/metrics/kernel/kde_draws.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "reference.hpp"

namespace plumb {
namespace {

struct Drawn {
  std::vector<double> p, trials, weight;
  std::vector<std::vector<double>> hits;  // by draw
};

/// Votes of 0 to 3 an item; some weights are whole, some are not.
Drawn draws_on(const std::string& kind, std::size_t n, std::size_t draws, bool several, bool weighted) {
  Drawn out;
  out.p = reference::column(kind, n, 3);
  RandomStream r(8, Purpose::demo);
  for (std::size_t i = 0; i < n; ++i) {
    if (several) out.trials.push_back(static_cast<double>(r.below(4)));
    if (weighted) out.weight.push_back(r.uniform() < 0.7 ? static_cast<double>(r.below(5)) : r.uniform());
  }
  if (several) out.trials[n / 2] = 3000;  // more votes than integers take
  for (std::size_t d = 0; d < draws; ++d) {
    std::vector<double>& h = out.hits.emplace_back(n);
    for (std::size_t i = 0; i < n; ++i)
      for (int k = 0; k < (several ? out.trials[i] : 1); ++k) h[i] += r.uniform() < out.p[i] ? 1 : 0;
  }
  return out;
}

void expect_same(const Drawn& d, double h, LeaveOut leave_out, const std::string& what) {
  const BetaPlan plan(h);
  const KdeDraws kernel({d.p, d.hits[0], d.trials, d.weight, {}, true}, plan, leave_out, 1);
  const std::vector<std::span<const double>> hits(d.hits.begin(), d.hits.end());
  std::vector<KdeErrors> got(hits.size());
  kernel.errors(hits, got);
  for (std::size_t i = 0; i < hits.size(); ++i) {
    const KdeErrors want = ece_kde({d.p, d.hits[i], d.trials, d.weight, {}, true}, plan, leave_out, 1);
    EXPECT_EQ(got[i].ece_kde.value, want.ece_kde.value) << what << " h = " << h << " draw " << i;
    EXPECT_EQ(got[i].ece_kde_l2.value, want.ece_kde_l2.value) << what;
    EXPECT_EQ(got[i].ece_kde.why, want.ece_kde.why) << what;
    EXPECT_EQ(got[i].direct, want.direct) << what;
    EXPECT_EQ(got[i].bandwidth, want.bandwidth) << what;
  }
}

TEST(KdeDraws, HaveTheBitsOfOneColumnAfterTheOther) {
  for (const std::string& kind : reference::hostile())
    for (const double h : {1e-4, 0.02, 1.0})
      for (const bool several : {false, true})
        for (const bool weighted : {false, true})
          for (const LeaveOut leave_out : {LeaveOut::vote, LeaveOut::item})
            for (const std::size_t draws : {std::size_t{1}, std::size_t{5}, KdeDraws::kTogether})
              expect_same(draws_on(kind, 60, draws, several, weighted), h, leave_out, kind);
}

TEST(KdeDraws, EmptyTheirIntegersBeforeTheyOverflow) {
  Drawn d = draws_on("uniform", 20'000, 3, false, false);
  for (double& p : d.p) p = 0.3 + 1e-6 * p;  // one box
  expect_same(d, 0.05, LeaveOut::vote, "one box");
}

TEST(KdeDraws, WithoutVotesHaveNoValue) {
  const std::vector<double> p{0.1, 0.9}, none{0, 0};
  const BetaPlan plan(0.1);
  const KdeDraws kernel({p, none, none, {}, {}, true}, plan, LeaveOut::vote, 1);
  const std::vector<std::span<const double>> hits{none};
  std::vector<KdeErrors> got(1);
  kernel.errors(hits, got);
  EXPECT_FALSE(got[0].ece_kde);
  EXPECT_EQ(got[0].ece_kde.why, ece_kde({p, none, none, {}, {}, true}, plan, LeaveOut::vote, 1).ece_kde.why);
}

}  // namespace
}  // namespace plumb
