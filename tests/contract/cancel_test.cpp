// A caller may stop long work, before it begins or from its progress callback; all work is reported
// exactly once.
#include <gtest/gtest.h>

#include <stdexcept>
#include <stop_token>

#include "contract/cases.hpp"
#include "plumb/evaluate/compare.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "plumb/evaluate/stability.hpp"
#include "plumb/evaluate/state.hpp"
#include "plumb/numeric/progress.hpp"

namespace plumb::test {
namespace {

using Listener = std::function<void(double)>;
using Work = std::function<void(const Listener&, std::stop_token)>;

EvaluateOptions heard(const Listener& listener, std::stop_token cancel) {
  EvaluateOptions o = all_metrics();
  o.bootstrap = 8;
  o.threads = 2;
  o.progress = listener;
  o.cancel = std::move(cancel);
  return o;
}

std::vector<std::pair<std::string, Work>> works() {
  static const Case c{"three classes",
                      simulate({.n = 300, .classes = 3, .raters = 3, .vary = true, .seed = 41}),
                      VoteForm::counts};
  static const Items items = c.items();
  static const Items sliced = [] {
    Items out = items;
    out.by = {Names(Rows(array_of(std::vector<std::int64_t>(300, 1), {300}, "by.npy")))};
    return out;
  }();
  return {
      {"evaluate", [](const Listener& l, std::stop_token t) { (void)evaluate(items, heard(l, t)); }},
      {"evaluate, slices and state",
       [](const Listener& l, std::stop_token t) {
         EvaluateState state;
         (void)evaluate(sliced, heard(l, t), &state);
       }},
      {"compare",
       [](const Listener& l, std::stop_token t) {
         (void)compare({{"a", items}, {"b", items}}, heard(l, t));
       }},
      {"stability",
       [](const Listener& l, std::stop_token t) {
         StabilityOptions s;
         s.from = s.step = 0.5;
         s.repeats = 4;
         s.progress = l;
         s.evaluate = heard({}, t);
         (void)stability(items, s);
       }},
  };
}

TEST(Cancel, ProgressRisesToOne) {
  for (const auto& [name, work] : works()) {
    std::vector<double> shares;
    work([&](double share) { shares.push_back(share); }, {});
    ASSERT_FALSE(shares.empty()) << name;
    EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end())) << name;
    EXPECT_GE(shares.front(), 0) << name;
    EXPECT_NEAR(shares.back(), 1, 1e-9) << name;
  }
}

TEST(Cancel, WorkThatIsStoppedBeforeItBeginsDoesNothing) {
  for (const auto& [name, work] : works()) {
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW(work({}, stop.get_token()), Cancelled) << name;
  }
}

TEST(Cancel, WorkStopsSoonAfterItIsTold) {
  for (const auto& [name, work] : works()) {
    std::stop_source stop;
    int after = 0;
    EXPECT_THROW(work(
                     [&](double share) {
                       if (stop.stop_requested()) ++after;
                       if (share > 0.3) stop.request_stop();
                     },
                     stop.get_token()),
                 Cancelled)
        << name;
    EXPECT_LE(after, 4) << name;  // blocks that other threads had started
  }
}

TEST(Cancel, AnExceptionOfTheListenerIsTheCallers) {
  for (const auto& [name, work] : works())
    EXPECT_THROW(work([](double) { throw std::runtime_error("enough"); }, {}), std::runtime_error) << name;
}

}  // namespace
}  // namespace plumb::test
