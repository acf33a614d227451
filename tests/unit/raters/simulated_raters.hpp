// Votes of raters with known confusion matrices.
#pragma once

#include <vector>

#include "plumb/data/votes.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb::test {

struct SimulatedRaters {
  int classes = 3, raters = 5;
  std::vector<double> prevalence;
  std::vector<double> confusion;  ///< raters x true class x vote
  std::vector<int> truth;         ///< of each item
  Judgements votes;
};

struct RaterSetting {
  int items = 300, classes = 3, raters = 5;
  double missing = 0;  ///< chance that a rater skips an item
  double worst = 0.6, best = 0.9;
  bool biased = true;  ///< unequal classes, and errors that lean to the next one
  std::uint64_t seed = 1;
};

inline int drawn_class(const double* p, int classes, double u) {
  int c = 0;
  while (c + 1 < classes && u >= p[c]) u -= p[c++];
  return c;
}

inline SimulatedRaters simulate_raters(const RaterSetting& s) {
  RandomStream rng(s.seed, Purpose::demo, 91);
  SimulatedRaters out;
  out.classes = s.classes;
  out.raters = s.raters;
  double sum = 0;
  for (int k = 0; k < s.classes; ++k) sum += out.prevalence.emplace_back(s.biased ? 1.0 / (k + 1) : 1.0);
  for (double& p : out.prevalence) p /= sum;
  for (int r = 0; r < s.raters; ++r) {
    const double right = s.worst + (s.best - s.worst) * r / (s.raters - 1.0);
    for (int k = 0; k < s.classes; ++k) {
      const double even = s.biased ? 0.25 : 1;
      std::vector<double> row(s.classes, even * (1 - right) / (s.classes - 1));
      row[(k + 1) % s.classes] += (1 - even) * (1 - right);
      row[k] = right;
      out.confusion.insert(out.confusion.end(), row.begin(), row.end());
    }
  }
  for (int i = 0; i < s.items; ++i) {
    const int truth = drawn_class(out.prevalence.data(), s.classes, rng.uniform());
    out.truth.push_back(truth);
    for (int r = 0; r < s.raters; ++r) {
      const bool skips = rng.uniform() < s.missing;
      const double u = rng.uniform();
      if (skips) continue;
      const double* row = out.confusion.data() + (r * s.classes + truth) * s.classes;
      out.votes.rater.push_back(static_cast<std::uint32_t>(r));
      out.votes.cls.push_back(static_cast<std::uint32_t>(drawn_class(row, s.classes, u)));
    }
    out.votes.offset.push_back(static_cast<std::int64_t>(out.votes.cls.size()));
  }
  return out;
}

inline Votes votes_of(const SimulatedRaters& s) {
  std::vector<std::string> names;
  for (int r = 0; r < s.raters; ++r) names.push_back("rater " + std::to_string(r));
  return Votes::from_judgements(s.votes, s.classes, names, "simulated");
}

}  // namespace plumb::test
