// Where there is no value there is a reason, and the reason is true of the data: each one is checked against
// facts that are counted here, from the votes themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <regex>
#include <set>

#include "contract/cases.hpp"
#include "contract/same_bits.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "plumb/evaluate/state.hpp"
#include "plumb/registry.hpp"

namespace plumb::test {
namespace {

struct EdgeCase {
  Case with;
  EvaluateOptions options;
};

/// The facts that reasons refer to. Items without votes or of weight 0 are left out, as the notes of a
/// run say.
struct Facts {
  std::int64_t votes = 0, items = 0, most = 0;  ///< most: votes on one item
  std::int64_t raters = 0;                      ///< of a consensus: most votes behind one label
  std::int64_t zero_votes = 0,
               zero_event = 0;     ///< votes of probability 0: of the vote, of the event or its opposite
  std::int64_t extreme = 0;        ///< forecasts of the event of 0 or 1
  std::int64_t extreme_votes = 0;  ///< votes on them
  std::int64_t halves = 0;         ///< of 1/2
  std::int64_t bad_truth = 0;      ///< true probability 0 or 1, and another forecast
  std::int64_t hits = 0, fullest_bin = 0;
  bool sure_bin_wrong = false;  ///< a bin of forecasts that are all 0, or all 1, has other outcomes
  bool all_zero = true, all_equal = true, separated = false, pairs_in_one_class = true;
  bool one_class = false;  ///< all votes
  double clip = 0;
  int replicates = 0;  ///< asked for
};

Facts facts_of(const Simulated& s, const EvaluateOptions& o) {
  Facts f;
  f.clip = o.clip;
  f.replicates = o.bootstrap;
  struct InBin {
    std::int64_t items = 0, hits = 0, misses = 0;
    bool all_zero = true, all_one = true;
  };
  std::map<int, InBin> bins;
  std::set<double> forecasts;
  std::set<int> pair_classes, classes;
  double hit_low = 2, hit_high = -1, miss_low = 2, miss_high = -1;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const std::vector<int>& votes = s.votes[i];
    if (votes.empty() || (!s.weight.empty() && s.weight[i] == 0)) continue;
    const auto k = static_cast<std::size_t>(s.classes);
    const std::vector<double> z = k == 2
                                      ? std::vector<double>{1 - s.z[i], s.z[i]}
                                      : std::vector<double>(s.z.begin() + i * k, s.z.begin() + (i + 1) * k);
    const auto event = k == 2 ? 1 : std::max_element(z.begin(), z.end()) - z.begin();
    const double p = z[event];
    ++f.items;
    f.votes += std::ssize(votes);
    f.most = std::max<std::int64_t>(f.most, std::ssize(votes));
    if (votes.size() > 1) pair_classes.insert(votes.begin(), votes.end());
    forecasts.insert(p);
    f.extreme += p == 0 || p == 1;
    if (p == 0 || p == 1) f.extreme_votes += std::ssize(votes);
    f.halves += p == 0.5;
    if (!s.truth.empty()) f.bad_truth += (s.truth[i] == 0 || s.truth[i] == 1) && s.truth[i] != p;
    InBin& bin = bins[std::min(static_cast<int>(p * o.bins), o.bins - 1)];
    ++bin.items;
    bin.all_zero = bin.all_zero && p == 0;
    bin.all_one = bin.all_one && p == 1;
    classes.insert(votes.begin(), votes.end());
    for (const int v : votes) {
      const bool hit = v == event;
      f.zero_votes += z[static_cast<std::size_t>(v)] == 0;
      f.zero_event += hit ? p == 0 : p == 1;
      f.hits += hit;
      ++(hit ? bin.hits : bin.misses);
      double& low = hit ? hit_low : miss_low;
      double& high = hit ? hit_high : miss_high;
      low = std::min(low, p);
      high = std::max(high, p);
    }
  }
  for (const auto& [number, c] : bins) {
    f.fullest_bin = std::max(f.fullest_bin, c.items);
    f.sure_bin_wrong = f.sure_bin_wrong || (c.all_zero && c.hits > 0) || (c.all_one && c.misses > 0);
  }
  f.all_zero = forecasts == std::set<double>{0.0};
  f.all_equal = forecasts.size() == 1;
  f.separated = hit_low >= miss_high || miss_low >= hit_high;
  f.pairs_in_one_class = pair_classes.size() == 1;
  f.one_class = classes.size() == 1;
  return f;
}

struct Reason {
  std::string pattern;
  std::function<bool(const Facts&, std::int64_t count)> holds;  ///< count: the number in the text, or -1
  bool of_a_run = true;                                         ///< some case of this file shows it
};

const std::vector<Reason>& reasons() {
  static const std::vector<Reason> all = {
      // A run without votes is refused, so that no result may say this.
      {"there are no votes", [](const Facts& f, std::int64_t) { return f.votes == 0; }, false},
      {"no item has two votes or more", [](const Facts& f, std::int64_t) { return f.most < 2; }},
      {"(\\d+) votes? falls? on probability 0: give clip 1e-12",
       [](const Facts& f, std::int64_t n) { return n == f.zero_votes && f.clip == 0; }},
      {"(\\d+) votes? falls? on probability 0 of the event: give clip 1e-12",
       [](const Facts& f, std::int64_t n) { return n == f.zero_event && f.clip == 0; }},
      {"a bin whose forecasts are all 0 or all 1 has other outcomes: give clip 1e-12",
       [](const Facts& f, std::int64_t) { return f.sure_bin_wrong && f.clip == 0; }},
      {"a bin whose forecasts are all 0 or all 1 has other outcomes",
       [](const Facts& f, std::int64_t) { return f.zero_event > 0; }},
      {"some votes fall on probability 0 of the event: give clip 1e-12",
       [](const Facts& f, std::int64_t) { return f.zero_event > 0 && f.clip == 0; }},
      {"every vote is for one class: the base rate has no error",
       [](const Facts& f, std::int64_t) { return f.one_class; }},
      {"(\\d+) items? (?:has|have) a true probability of 0 or 1 and another forecast: give clip 1e-12; the value then depends on the clip through (?:this item|these items)",
       [](const Facts& f, std::int64_t n) { return n == f.bad_truth && f.clip == 0; }},
      {"every forecast is 0, so no events are expected",
       [](const Facts& f, std::int64_t) { return f.all_zero; }},
      {"every forecast is 0 or 1", [](const Facts& f, std::int64_t) { return f.extreme == f.items; }},
      {"every forecast is 0, 1/2 or 1",
       [](const Facts& f, std::int64_t) { return f.extreme + f.halves == f.items; }},
      {"it compares items, and only one has votes", [](const Facts& f, std::int64_t) { return f.items < 2; }},
      {"no bin holds two items, which debiasing needs",
       [](const Facts& f, std::int64_t) { return f.fullest_bin < 2; }},
      {"it is computed by resampling: give bootstrap 200",
       [](const Facts& f, std::int64_t) { return f.replicates == 0; }},
      {"there is only 1 item to resample", [](const Facts& f, std::int64_t) { return f.items == 1; }},
      {"all votes are for one class, so agreement by chance is complete",
       [](const Facts& f, std::int64_t) { return f.pairs_in_one_class; }},
      {"there are no hits: no vote is for the event",
       [](const Facts& f, std::int64_t) { return f.hits == 0; }},
      {"there are no misses: every vote is for the event",
       [](const Facts& f, std::int64_t) { return f.hits == f.votes; }},
      {"(\\d+) votes? on forecasts of 0 or 1, which have no finite log-odds; clip keeps them away from 0 and 1",
       [](const Facts& f, std::int64_t n) { return n == f.extreme_votes && f.clip == 0; }},
      {"all forecasts are equal: a slope needs two different ones",
       [](const Facts& f, std::int64_t) { return f.all_equal; }},
      {"the forecasts separate hits from misses: the slope that fits best is infinite",
       [](const Facts& f, std::int64_t) { return f.separated && !f.all_equal; }},
      {"two raters have no majority, and no item has three votes or more",
       [](const Facts& f, std::int64_t) { return f.raters <= 2; }},
      {"leaving out a vote leaves no votes to estimate from",
       [](const Facts& f, std::int64_t) { return f.votes == 1; }},
  };
  return all;
}

/// Options are named as each front end spells them; the reason is the same.
std::string bare(std::string why) {
  for (const std::string mark : {"--", "⟦", "⟧"})
    for (std::size_t at; (at = why.find(mark)) != std::string::npos;) why.erase(at, mark.size());
  return why;
}

EvaluateOptions keys(double clip = 0) {
  EvaluateOptions o = all_metrics();
  o.clip = clip;
  o.threads = 1;
  return o;
}

Simulated binary(std::vector<double> p, std::vector<std::vector<int>> votes) {
  Simulated s;
  s.z = std::move(p);
  s.votes = std::move(votes);
  return s;
}

std::vector<EdgeCase> edge_cases() {
  std::vector<EdgeCase> out;
  for (Case& c : cases()) out.push_back({std::move(c), keys()});
  const auto add = [&out](const char* name, Simulated s, EvaluateOptions o = keys()) {
    out.push_back({{name, std::move(s), VoteForm::counts}, std::move(o)});
  };
  const Simulated sure = binary({0, 0, 1, 1, 0.5, 0.25}, {{0}, {1}, {1}, {0}, {0}, {1}});
  add("sure and wrong", sure);
  add("sure and wrong, clipped", sure, keys(1e-6));
  add("sure and wrong once", binary({0, 0.001, 0.5, 0.75}, {{1}, {0}, {1}, {0}}));
  add("sure and wrong in a bin of its own", binary({0, 0, 0.5, 0.75, 0.6}, {{1}, {0}, {1}, {0}, {1}}));
  Simulated four = simulate({.n = 40, .classes = 4, .raters = 3, .vary = true, .seed = 21});
  for (std::size_t i = 0; i < four.z.size(); ++i) four.z[i] = i % 4 == (i / 4) % 3 ? 1 : 0;
  add("four classes, sure and wrong", four);
  add("one item", binary({0.3}, {{1}}));
  add("one item of three votes", binary({0.3}, {{1, 0, 1}}));
  EvaluateOptions drawn = keys();
  drawn.bootstrap = 20;
  add("one item, resampled", binary({0.3}, {{1}}), drawn);
  add("two items, resampled", binary({0.3, 0.4}, {{1}, {0}}), drawn);
  add("one item, sure and right", binary({1}, {{1, 1}}));
  add("items in bins of their own", binary({0.1, 0.5, 0.9}, {{0}, {1}, {1}}));
  add("forecasts of 0", binary({0, 0, 0}, {{0}, {0}, {1}}));
  add("forecasts of 0, and right", binary({0, 0, 0}, {{0}, {0}, {0}}));
  add("all hits", binary({0.2, 0.4, 0.6, 0.61}, {{1}, {1, 1}, {1}, {1}}));
  add("all misses", binary({0.2, 0.4, 0.6, 0.61}, {{0}, {0, 0}, {0}, {0}}));
  add("equal forecasts", binary({0.4, 0.4, 0.4}, {{0}, {1}, {0, 1}}));
  add("separated", binary({0.1, 0.2, 0.7, 0.8}, {{0}, {0}, {1}, {1}}));
  add("unanimous pairs", binary({0.1, 0.2, 0.7, 0.8}, {{1, 1}, {1, 1}, {1, 1, 1}, {1, 1}}));
  add("some without votes", binary({0.1, 0.2, 0.7, 0.8}, {{1}, {}, {0, 1}, {}}));
  Simulated light = binary({0.1, 0.2, 0.7, 0.8}, {{1}, {0}, {0, 1}, {1, 1}});
  light.weight = {1, 2, 0, 0};
  add("pairs of weight 0", light);
  Simulated known = binary({0.1, 0, 0.7, 0.8, 1}, {{1}, {0}, {0}, {1}, {1}});
  known.truth = {0, 0, 1, 0.5, 1};
  add("known truth of 0 and 1", known);
  add("known truth, clipped", known, keys(1e-3));
  return out;
}

class Reasons : public testing::Test {
 protected:
  void check(const MetricResults& results, const Facts& facts, const std::string& what) {
    for (const auto& [key, m] : results) {
      if (m.value) {
        EXPECT_EQ(m.why, "") << what << ": " << key;
        continue;
      }
      const std::string why = bare(m.why);
      int known = 0;
      for (const Reason& r : reasons()) {
        std::smatch found;
        if (!std::regex_match(why, found, std::regex(r.pattern))) continue;
        ++known;
        seen_.insert(r.pattern);
        const std::int64_t count = found.size() > 1 ? std::stoll(found[1]) : -1;
        EXPECT_TRUE(r.holds(facts, count))
            << what << ": " << key << " is said to be undefined because " << why;
      }
      EXPECT_EQ(known, 1) << what << ": " << key << " gives a reason that is not in the list: \"" << why
                          << "\"";
    }
  }
  std::set<std::string> seen_;
};

/// The majority label as the only vote; the classes of a tie as a vote each.
Simulated majority(const Simulated& s) {
  Simulated out = s;
  for (std::vector<int>& votes : out.votes) {
    if (votes.empty()) continue;
    std::vector<std::int64_t> count(static_cast<std::size_t>(s.classes));
    for (const int v : votes) ++count[static_cast<std::size_t>(v)];
    votes.clear();
    for (int k = 0; k < s.classes; ++k)
      if (count[k] == *std::max_element(count.begin(), count.end())) votes.push_back(k);
  }
  return out;
}

TEST_F(Reasons, AreTrue) {
  for (const EdgeCase& e : edge_cases()) {
    const Result r = evaluate(e.with.items(), e.options);
    check(r.metrics, facts_of(e.with.data, e.options), e.with.name);
    Facts facts = facts_of(majority(e.with.data), e.options);
    facts.raters = facts_of(e.with.data, e.options).most;
    check(r.consensus, facts, e.with.name + ", consensus");
  }
  for (const Reason& r : reasons())
    EXPECT_EQ(seen_.contains(r.pattern), r.of_a_run) << "no case shows: " << r.pattern;
}

TEST_F(Reasons, AreTrueOfMergedStates) {
  for (const EdgeCase& e : edge_cases()) {
    const Result r = finish(evaluate_state(e.with.items(), e.options), e.options);
    MetricResults given;
    for (const auto& [key, m] : r.metrics) {
      if (in_state(*find_metric(key), e.with)) {
        given.emplace_back(key, m);
      } else {
        EXPECT_TRUE(m.why.starts_with("needs all the data in one run;") ||
                    m.why.starts_with("needs the sorted forecasts;"))
            << key << ": " << m.why;
      }
    }
    check(given, facts_of(e.with.data, e.options), e.with.name + ", merged");
  }
}

TEST(ReasonsOfManyClasses, BandwidthsAreNotSearchedUnasked) {
  const Items items = to_items(simulate({.n = 60, .classes = 21, .seed = 22}), VoteForm::labels);
  const auto classwise = [&](std::vector<std::string> metrics, double bandwidth) {
    EvaluateOptions o;
    o.metrics = std::move(metrics);
    o.bandwidth = bandwidth;
    return find_result(evaluate(items, o).metrics, "ece_kde_classwise");
  };
  EXPECT_EQ(
      bare(classwise({"all"}, 0).why),
      "it needs a bandwidth search for each class; above 20 classes ask for it by name, or give bandwidth");
  EXPECT_TRUE(classwise({"all"}, 0.05).value);
  EXPECT_TRUE(classwise({"ece_kde_classwise"}, 0).value);
}

}  // namespace
}  // namespace plumb::test
