#include "plumb/uncertainty/bin_scores.hpp"

#include <algorithm>

#include "plumb/numeric/elementary.hpp"

namespace plumb {
namespace {

constexpr double kLog2 = 0.6931471805599453094;

double bits(double x) { return log_portable(x) / kLog2; }

double total_mass(std::span<const UncertaintyBin> bins) {
  double sum = 0;
  for (const UncertaintyBin& b : bins) sum += b.mass;
  return sum;
}

double total_hits(std::span<const UncertaintyBin> bins) {
  double sum = 0;
  for (const UncertaintyBin& b : bins) sum += b.hits;
  return sum;
}

/// x log2(x / y), 0 at x = 0.
double term(double x, double y) { return x > 0 ? x * bits(x / y) : 0.0; }

}  // namespace

double kl_score(double p, double a) { return std::max(0.0, term(p, a) + term(1 - p, 1 - a)); }

double base_accuracy(std::span<const UncertaintyBin> bins) { return total_hits(bins) / total_mass(bins); }

double expected_score(std::span<const UncertaintyBin> bins, double a, const BinScore& score) {
  double sum = 0;
  for (const UncertaintyBin& b : bins) sum += b.mass * score(b.accuracy(), a);
  return sum / total_mass(bins);
}

double binned_brier(std::span<const UncertaintyBin> bins) {
  double sum = 0;
  for (const UncertaintyBin& b : bins) sum += b.accuracy() * (b.mass - b.hits);
  return sum / total_mass(bins);
}

double conditional_entropy(std::span<const UncertaintyBin> bins) {
  double sum = 0;
  for (const UncertaintyBin& b : bins) {
    const double p = b.accuracy();
    sum -= b.mass * (term(p, 1.0) + term(1 - p, 1.0));
  }
  return sum / total_mass(bins) + 0.0;
}

Estimate binned_auroc(std::span<const UncertaintyBin> least_confident_first) {
  double below = 0;  // misses in less confident bins
  double pairs = 0;
  double hits = 0;
  for (const UncertaintyBin& b : least_confident_first) {
    const double misses = b.mass - b.hits;
    pairs += b.hits * (below + misses / 2);
    below += misses;
    hits += b.hits;
  }
  if (!(below > 0)) return Estimate::undefined("there is no wrong answer to tell from the right ones");
  if (!(hits > 0)) return Estimate::undefined("there is no right answer to tell from the wrong ones");
  return pairs / (hits * below);
}

}  // namespace plumb
