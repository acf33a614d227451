// Simulated predictions and votes for the tests of this room.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "plumb/calibrate/fit.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb::some {

struct Data {
  int classes = 2;
  std::int64_t n = 0;
  std::vector<double> logits;        ///< n, or n x K
  std::vector<std::int64_t> counts;  ///< n x K
  std::vector<std::int64_t> group;   ///< n

  [[nodiscard]] int width() const { return classes == 2 ? 1 : classes; }
  [[nodiscard]] Items items() const {
    Items out;
    out.predictions = Predictions({Rows(array_of(logits, shape(), "logits"))}, Scale::logit);
    out.votes = Votes::from_counts(Rows(array_of(counts, {n, classes}, "counts")), classes);
    out.groups = Names(Rows(array_of(group, {n}, "groups")));
    return out;
  }
  [[nodiscard]] std::vector<std::int64_t> shape() const {
    return classes == 2 ? std::vector<std::int64_t>{n} : std::vector<std::int64_t>{n, classes};
  }
  /// Row i of `from`, with other votes.
  void take(const Data& from, std::int64_t i, const std::vector<std::int64_t>& votes) {
    for (int k = 0; k < width(); ++k)
      logits.push_back(from.logits[static_cast<std::size_t>(i * width() + k)]);
    counts.insert(counts.end(), votes.begin(), votes.end());
    group.push_back(from.group[static_cast<std::size_t>(i)]);
    ++n;
  }
  [[nodiscard]] std::vector<std::int64_t> votes(std::int64_t i) const {
    return {counts.begin() + i * classes, counts.begin() + (i + 1) * classes};
  }
};

/// An over-confident model (logits twice the true ones, with noise) and 1 to `most` votes per item.
inline Data simulate(std::int64_t n, int classes, int most, std::uint64_t seed) {
  Data d;
  d.classes = classes;
  d.n = n;
  RandomStream r(seed, Purpose::sample);
  for (std::int64_t i = 0; i < n; ++i) {
    std::vector<double> truth(static_cast<std::size_t>(classes), 0.0);
    for (std::size_t k = classes == 2 ? 1 : 0; k < truth.size(); ++k) truth[k] = 1.5 * r.normal();
    for (std::size_t k = classes == 2 ? 1 : 0; k < truth.size(); ++k)
      d.logits.push_back(2 * truth[k] + 0.4 * r.normal() + 0.3 * static_cast<double>(k));
    double sum = 0;
    for (double& t : truth) sum += t = std::exp(t);
    std::vector<std::int64_t> votes(truth.size(), 0);
    const std::uint64_t number = 1 + r.below(static_cast<std::uint64_t>(most));
    for (std::uint64_t v = 0; v < number; ++v) {
      double u = r.uniform() * sum;
      std::size_t k = 0;
      while (k + 1 < truth.size() && u >= truth[k]) u -= truth[k++];
      ++votes[k];
    }
    d.counts.insert(d.counts.end(), votes.begin(), votes.end());
    d.group.push_back(i);
  }
  return d;
}

inline Step fit(std::string_view method, const Items& items, const FitOptions& options) {
  return fit_calibrator(method, items, options).front();
}

}  // namespace plumb::some
