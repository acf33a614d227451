#include "plumb/simulate/cohort.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb {
namespace {

constexpr std::size_t kClasses = 8;
constexpr std::array<const char*, kClasses> kNames{"neutrophil", "eosinophil",   "basophil", "lymphocyte",
                                                   "monocyte",   "erythroblast", "platelet", "immature"};
constexpr std::array<double, kClasses> kShare{0.28, 0.07, 0.04, 0.23, 0.12, 0.07, 0.11, 0.08};
/// The class that each class is most often confused with.
constexpr std::array<std::size_t, kClasses> kTwin{7, 2, 1, 4, 3, 3, 5, 0};
constexpr std::array<const char*, 3> kSites{"harbour", "north", "university"};
constexpr std::array<double, 3> kQuality{0.65, 1.0, 1.0};  // of the slides, by site
constexpr int kRaters = 7, kFewestRaters = 3;
constexpr std::int64_t kCellsPerPatient = 20;
constexpr std::uint32_t kPatientStreams = 1u << 31;  // items use the streams below

std::size_t draw(std::span<const double> share, RandomStream& random) {
  double left = random.uniform();
  for (std::size_t k = 0; k + 1 < share.size(); ++k) {
    left -= share[k];
    if (left < 0) return k;
  }
  return share.size() - 1;
}

// The true log-probabilities up to a constant: the cell's own class stands out, its twin half as much, and
// both less on a poor slide.
std::array<double, kClasses> true_logits(double quality, RandomStream& random) {
  const std::size_t own = draw(kShare, random);
  const double clear = quality * (5.5 + 1.5 * random.normal());
  std::array<double, kClasses> u{};
  for (double& x : u) x = 0.8 * random.normal();
  u[own] += clear;
  u[kTwin[own]] += 0.5 * clear * random.uniform();
  return u;
}

// Three to seven of the raters, in random order, each give one answer.
void vote(std::span<const double> truth, RandomStream& random, Cohort& out) {
  std::array<int, kRaters> order{};
  std::iota(order.begin(), order.end(), 0);
  const int n = kFewestRaters + narrow<int>(random.below(kRaters - kFewestRaters + 1));
  std::array<std::int64_t, kRaters> ratings{};
  ratings.fill(-1);
  std::array<std::int64_t, kClasses> counts{};
  for (int i = 0; i < n; ++i) {
    std::swap(order[i], order[i + random.below(kRaters - i)]);
    const std::size_t answer = draw(truth, random);
    ratings[order[i]] = answer;
    ++counts[answer];
  }
  out.ratings.insert(out.ratings.end(), ratings.begin(), ratings.end());
  out.counts.insert(out.counts.end(), counts.begin(), counts.end());
  out.labels.push_back(std::max_element(counts.begin(), counts.end()) - counts.begin());
}

void predict(std::span<const double> u, const CohortOptions& options, RandomStream& random, Cohort& out) {
  std::array<double, kClasses> z{};
  for (std::size_t k = 0; k < kClasses; ++k) {
    const float logit = options.sharpening * (u[k] + options.model_noise * random.normal());
    out.logits.push_back(logit);
    z[k] = logit;
  }
  softmax_row(z);
  for (const double p : z) out.probs.push_back(p);
}

void add_item(std::int64_t i, const CohortOptions& options, Cohort& out) {
  const std::int64_t patient = i / kCellsPerPatient;
  RandomStream where(options.seed, Purpose::demo, kPatientStreams + patient);
  const std::uint64_t site = where.below(kSites.size());
  RandomStream random(options.seed, Purpose::demo, i);
  const auto u = true_logits(kQuality[site], random);
  std::array<double, kClasses> truth = u;
  softmax_row(truth);
  out.truth.insert(out.truth.end(), truth.begin(), truth.end());
  predict(u, options, random, out);
  vote(truth, random, out);
  out.patient.push_back("P" + std::to_string(1001 + patient));
  out.site.emplace_back(kSites[site]);
}

template <class T>
std::vector<T> rows(const std::vector<T>& all, std::int64_t begin, std::int64_t end, int width) {
  return {all.begin() + begin * width, all.begin() + end * width};
}

}  // namespace

Cohort simulate_cohort(const CohortOptions& options) {
  Cohort out;
  out.items = options.items;
  out.class_names.assign(kNames.begin(), kNames.end());
  out.raters = kRaters;
  for (std::int64_t i = 0; i < options.items; ++i) add_item(i, options, out);
  return out;
}

Cohort slice(const Cohort& c, std::int64_t begin, std::int64_t end) {
  const int k = c.classes();
  return {end - begin,
          c.class_names,
          c.raters,
          rows(c.truth, begin, end, k),
          rows(c.logits, begin, end, k),
          rows(c.probs, begin, end, k),
          rows(c.ratings, begin, end, c.raters),
          rows(c.counts, begin, end, k),
          rows(c.labels, begin, end, 1),
          rows(c.patient, begin, end, 1),
          rows(c.site, begin, end, 1)};
}

std::int64_t validation_size(const Cohort& c) { return c.items / 3 / kCellsPerPatient * kCellsPerPatient; }

}  // namespace plumb
