// The arithmetic of the ordered estimators, so that each of them is written once.
// All three kinds are order-free:
//   Whole     unit weights, whole hits: integers, a few cycles per item
//   Real      unit weights, real hits (the sign-flip null): integers, a hit rounded to 2^-50
//   Weighted  anything: ExactSum, to which the products w n and w h are added without rounding
// A Mass is a sum of w n, Hits a sum of w h, an Area a sum of mass times a fraction that enters as the
// nearest multiple of 2^-50 (numeric/fixed_point.hpp), Pairs a sum of mass times mass. Products of group sums
// are exact in all three, so that weights of one give the same bits as no weights.
// Masses stay below 2^53 votes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "metrics/streaming/exact_product.hpp"
#include "plumb/data/forecasts.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/fixed_point.hpp"

namespace plumb::detail {

struct Whole {
  using Mass = std::int64_t;
  using Hits = std::int64_t;
  using Area = int128;   // in units of 2^-50
  using Pairs = int128;  // in units of one
  static std::int64_t times(const ForecastsView& f, std::size_t i) {
    return f.times.empty() ? 1 : f.times[i];
  }
  static void add_mass(Mass& m, const ForecastsView& f, std::size_t i) {
    m += f.trials.empty() ? times(f, i) : static_cast<std::int64_t>(f.trials[i]) * times(f, i);
  }
  static void add_hits(Hits& h, const ForecastsView& f, std::size_t i) {
    h += static_cast<std::int64_t>(f.hits[i]) * times(f, i);
  }
  static void add(Mass& sum, Mass x) { sum += x; }
  static void add(Area& sum, Area x) { sum += x; }
  static Mass minus(Mass a, Mass b) { return a - b; }
  static Area minus(Area a, Area b) { return a - b; }
  static bool positive(Mass m) { return m > 0; }
  static double value(Mass m) { return m; }
  static double hits_value(Hits h) { return h; }

  static Area area(Hits h) { return int128{h} * (std::int64_t{1} << kFractionBits); }
  static void add_area(Area& sum, Mass m, std::int64_t fraction) { sum += int128{m} * fraction; }
  static Area absolute(Area a) { return a < 0 ? -a : a; }
  static double area_value(Area a) { return a * (1.0 / kFixedOne); }
  static void add_pairs(Pairs& sum, Mass a, Mass b) { sum += int128{a} * b; }
  static double pairs_value(Pairs a) { return a; }

  /// A mean of y, compared exactly.
  struct Mean {
    Hits hits;
    Mass mass;
  };
  static Mean mean(Hits h, Mass m) { return {h, m}; }
  static bool less(const Mean& a, const Mean& b) { return int128{a.hits} * b.mass < int128{b.hits} * a.mass; }
  /// The bin floor(B below / total).
  static std::int64_t bin(std::int64_t bins, Mass below, Mass total) { return int128{bins} * below / total; }
  /// Whether a mass is large enough for bin c or a later one.
  struct Reach {
    Mass least;
    Reach(std::int64_t c, std::int64_t bins, Mass total) : least((int128{c} * total + bins - 1) / bins) {}
    bool operator()(Mass below) const { return below >= least; }
  };
};

/// Means of rounded sums: equal quotients may differ by a few units in the last place.
inline constexpr double kMeanTolerance = 0x1p-50;

struct Real : Whole {
  using Hits = int128;  // in units of 2^-50
  static void add_hits(Hits& h, const ForecastsView& f, std::size_t i) {
    const double x = f.hits[i];
    const auto integer_part = static_cast<std::int64_t>(x);
    const int128 fixed =
        int128{integer_part} * (std::int64_t{1} << kFractionBits) + to_fixed(x - integer_part);
    h += fixed * times(f, i);
  }
  static Area area(Hits h) { return h; }
  static double hits_value(Hits h) { return area_value(h); }
  using Mean = double;
  static Mean mean(Hits h, Mass m) { return hits_value(h) / value(m); }
  static bool less(Mean a, Mean b) { return a < b - kMeanTolerance; }
};

struct Weighted {
  using Mass = ExactSum;
  using Hits = ExactSum;
  using Area = ExactSum;
  using Pairs = ExactSum;
  static double weight(const ForecastsView& f, std::size_t i) { return f.weight.empty() ? 1.0 : f.weight[i]; }
  static double times(const ForecastsView& f, std::size_t i) { return f.times.empty() ? 1.0 : f.times[i]; }
  static void add_mass(Mass& m, const ForecastsView& f, std::size_t i) {
    add_product(m, weight(f, i), times(f, i) * f.trials_of(i));
  }
  static void add_hits(Hits& h, const ForecastsView& f, std::size_t i) {
    add_product(h, weight(f, i), times(f, i) * f.hits[i]);
  }
  static void add(ExactSum& sum, const ExactSum& x) { sum.merge(x); }
  static ExactSum minus(ExactSum a, const ExactSum& b) {
    a.subtract(b);
    return a;
  }
  static bool negative(const ExactSum& a) { return a.limbs().back() >> 63; }
  static bool positive(const ExactSum& a) { return !negative(a) && !a.is_zero(); }
  static double value(const Mass& m) { return m.value(); }
  static double hits_value(const Hits& h) { return h.value(); }

  static const Area& area(const Hits& h) { return h; }
  static void add_area(Area& sum, const Mass& m, std::int64_t fraction) {
    add_product(sum, m.value(), from_fixed(fraction));
  }
  static Area absolute(const Area& a) { return negative(a) ? minus(Area{}, a) : a; }
  static double area_value(const Area& a) { return a.value(); }
  static void add_pairs(Pairs& sum, const Mass& a, const Mass& b) { add_product(sum, a.value(), b.value()); }
  static double pairs_value(const Pairs& a) { return a.value(); }

  using Mean = double;
  static Mean mean(const Hits& h, const Mass& m) { return h.value() / m.value(); }
  static bool less(Mean a, Mean b) { return a < b - kMeanTolerance; }
  /// A share that reaches a bin but for the rounding of the weights reaches it: weights of 1/3 make the
  /// bins of weights of 1.
  static constexpr double kRounded = 1 + 0x1p-40;
  static std::int64_t bin(std::int64_t bins, const Mass& below, const Mass& total) {
    return static_cast<std::int64_t>(bins * below.value() / total.value() * kRounded);
  }
  struct Reach {
    double c, bins, total;
    Reach(std::int64_t c_, std::int64_t bins_, const Mass& total_)
        : c(c_), bins(bins_), total(total_.value()) {}
    bool operator()(const Mass& below) const { return bins * below.value() / total * kRounded >= c; }
  };
};

/// Calls estimator(Whole{}) or estimator(Weighted{}).
template <class Estimator>
auto with_counts(const ForecastsView& f, Estimator estimator) {
  return f.weight.empty() && f.whole_counts ? estimator(Whole{}) : estimator(Weighted{});
}
/// For the estimators that also run under the sign-flip null: Real hits have a path of their own.
template <class Estimator>
auto with_residuals(const ForecastsView& f, Estimator estimator) {
  return f.weight.empty() && !f.whole_counts ? estimator(Real{}) : with_counts(f, estimator);
}

}  // namespace plumb::detail
