// The cases that every key of the registry is tried on.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "plumb/evaluate/evaluate.hpp"
#include "plumb/registry.hpp"
#include "support/make_items.hpp"

namespace plumb::test {

struct Case {
  std::string name;
  Simulated data;
  VoteForm form;
  [[nodiscard]] Items items() const { return to_items(data, form); }
};

inline std::vector<Case> cases() {
  std::vector<Case> out;
  out.push_back({"binary labels", simulate({.n = 700, .sharpen = 1.6, .seed = 3}), VoteForm::labels});
  out.push_back(
      {"binary labels with ties", simulate({.n = 700, .rounding = 20, .seed = 4}), VoteForm::labels});
  out.push_back({"binary counts", simulate({.n = 400, .raters = 5, .vary = true, .sharpen = 1.5, .seed = 5}),
                 VoteForm::counts});
  out.push_back(
      {"four classes", simulate({.n = 600, .classes = 4, .sharpen = 1.7, .seed = 6}), VoteForm::labels});
  out.push_back({"four classes, ratings",
                 simulate({.n = 500,
                           .classes = 4,
                           .raters = 4,
                           .vary = true,
                           .sharpen = 1.7,
                           .heterogeneity = 4,
                           .seed = 7}),
                 VoteForm::ratings});
  Simulated w = simulate({.n = 500, .classes = 3, .raters = 3, .vary = true, .sharpen = 1.4, .seed = 8});
  RandomStream rng(9, Purpose::demo);
  for (std::size_t i = 0; i < w.size(); ++i) w.weight.push_back(i % 11 == 0 ? 0.0 : 0.1 + rng.uniform());
  out.push_back({"three classes, weights", w, VoteForm::counts});
  out.push_back({"binary labels with truth", simulate({.n = 300, .sharpen = 1.3, .truth = true, .seed = 10}),
                 VoteForm::labels});
  Simulated a = simulate(
      {.n = 300, .classes = 3, .raters = 4, .sharpen = 1.4, .heterogeneity = 5, .groups = 60, .seed = 12});
  for (std::size_t i = 0; i < a.size(); ++i) a.concentration.push_back(2.0 + 3.0 * rng.uniform());
  out.push_back({"three classes, concentration, groups", a, VoteForm::counts});
  return out;
}

/// Whether a merged state gives the key: sums and, without weights, what is read off the event's forecasts.
/// Columns of the classes and resampled values need all the data.
inline bool in_state(const MetricRow& m, const Case& c) {
  if (m.key == "ece_corrected" || m.key == "ece_kde_canonical") return false;
  if (m.room == Room::streaming) return true;
  if (m.key == "skce" && std::any_of(c.data.votes.begin(), c.data.votes.end(),
                                     [](const std::vector<int>& votes) { return votes.size() > 1; }))
    return false;  // which votes are of one item is not in a state
  return c.data.weight.empty() && (c.data.classes == 2 || m.key != "ece_kde_classwise");
}

inline EvaluateOptions all_metrics() {
  EvaluateOptions o;
  o.metrics = {"all"};
  o.bandwidth = 0.05;  // the search for it has tests of its own, and takes its time
  return o;
}

}  // namespace plumb::test
