// From kernel sums to the gaps of votes, for the data themselves (ece_kde.cpp) and for draws (kde_draws.cpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "metrics/kernel/direct_sums.hpp"
#include "plumb/metrics/kernel/ece_kde.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/fixed_point.hpp"

namespace plumb::detail {

inline constexpr std::string_view kNothingLeft = "leaving out a vote leaves no votes to estimate from";
// The error of G may be this share of the accuracy times what is left of G, so that the ratio of two such
// sums keeps it.
inline constexpr double kErrorShare = 0.25;

/// All but what is left out: votes and hits near p, in any unit common to both.
struct Rest {
  double w, wy;
};

/// One item, or the votes of one item that leave out the same.
struct Item {
  double p, w, trials, hits;
};

// Mean over votes of the gap and of its square. Terms of whole mass are whole multiples of 2^-50.
struct GapSums {
  int128 gap = 0, square = 0, mass = 0;
  ExactSum real_gap, real_square, real_mass;

  void add_whole(std::int64_t m, double g) {
    gap += int128{m} * to_fixed(g);
    square += int128{m} * to_fixed(g * g);
    mass += m;
  }
  void add_real(double m, double g) {
    real_gap.add(m * g);
    real_square.add(m * (g * g));
    real_mass.add(m);
  }
  void merge(const GapSums& o) {
    gap += o.gap, square += o.square, mass += o.mass;
    real_gap.merge(o.real_gap), real_square.merge(o.real_square), real_mass.merge(o.real_mass);
  }
  [[nodiscard]] KdeErrors finish() const {
    ExactSum g = real_gap, s = real_square, m = real_mass;
    g.add_scaled(gap, -kFractionBits);
    s.add_scaled(square, -kFractionBits);
    m.add_scaled(mass, 0);
    KdeErrors out;
    if (m.is_zero()) {
      out.ece_kde = out.ece_kde_l2 = Estimate::undefined(std::string(kNothingLeft));
    } else {
      out.ece_kde = g.value() / m.value();
      out.ece_kde_l2 = std::sqrt(s.value() / m.value());
    }
    return out;
  }
};

// Calls add(mass, rest) for each kind of vote of an item, `rest` being G less what is left out with
// that vote.
template <class Add>
void each_kind(const Item& item, bool integer_votes, LeaveOut leave_out, Rest g, Add add) {
  const auto less = [&](double n, double h) { return Rest{g.w - item.w * n, g.wy - item.w * h}; };
  if (leave_out == LeaveOut::item || item.trials == 1.0)
    return add(item.w * item.trials, less(item.trials, item.hits));
  if (!integer_votes) return add(item.w * item.trials, less(1.0, item.hits / item.trials));
  if (item.hits > 0.0) add(item.w * item.hits, less(1.0, 1.0));
  if (item.trials > item.hits) add(item.w * (item.trials - item.hits), less(1.0, 0.0));
}

/// The votes at and next to 0 and 1.
struct KdeEnds {
  VotesAt at_zero, above_zero, at_one, below_one;
  explicit KdeEnds(const BetaSums& sums)
      : at_zero(sums.at_zero), above_zero(sums.above_zero), at_one(sums.at_one), below_one(sums.below_one) {}
};

// A target at 0 or 1: the other votes there, or else those nearest to that end.
inline Rest rest_at_end(const KdeEnds& ends, const Item& item, Rest left_out) {
  const VotesAt& here = item.p == 0.0 ? ends.at_zero : ends.at_one;
  const VotesAt& next = item.p == 0.0 ? ends.above_zero : ends.below_one;
  ExactSum w = here.w, wy = here.wy;
  w.subtract(ExactSum(left_out.w));
  wy.subtract(ExactSum(left_out.wy));
  if (w.value() > 0.0) return {w.value(), wy.value()};
  return {next.w.value(), next.wy.value()};
}

inline Rest rest_of_direct(const DirectSum& sum, Rest left_out) {
  ExactSum w = sum.tie_w, wy = sum.tie_wy;
  w.subtract(ExactSum(left_out.w));
  wy.subtract(ExactSum(left_out.wy));
  if (!(w.value() > 0.0)) return {sum.w.value(), sum.wy.value()};
  const double unit = exp_portable(sum.top);
  return {w.value() + unit * sum.w.value(), wy.value() + unit * sum.wy.value()};
}

/// The second pass: gaps of a block of forecasts, once G is known there.
class Gaps {
 public:
  Gaps(const KdeEnds& ends, double accuracy, LeaveOut leave_out)
      : ends_(&ends), per_tolerance_(1.0 / (kErrorShare * accuracy)), leave_out_(leave_out) {}

  /// G of all votes and of the hits at the p of a block, with an error of at most `error`.
  void update(const ForecastsView& f, std::span<const double> all, std::span<const double> hits,
              std::span<const double> error) {
    const bool whole_mass = f.weight.empty() && f.whole_counts;
    for (std::size_t i = 0; i < f.size(); ++i) {
      const Item item{f.p[i], f.weight_of(i), f.trials_of(i), f.hits[i]};
      if (!(item.w * item.trials > 0.0)) continue;
      if (item.p == 0.0 || item.p == 1.0) {
        each_kind(item, f.whole_counts, leave_out_, {0.0, 0.0}, [&](double mass, Rest minus) {
          add(item, mass, rest_at_end(*ends_, item, {-minus.w, -minus.wy}), whole_mass);
        });
        continue;
      }
      const Rest g{all[i], hits[i]};
      const double most_left_out = item.w * (leave_out_ == LeaveOut::item ? item.trials : 1.0);
      if (g.w - most_left_out > error[i] * per_tolerance_) {
        each_kind(item, f.whole_counts, leave_out_, g,
                  [&](double mass, Rest rest) { add(item, mass, rest, whole_mass); });
      } else {
        isolated_.push_back({item, f.whole_counts, whole_mass});
      }
    }
  }

  void merge(const Gaps& other) {
    gaps_.merge(other.gaps_);
    isolated_.insert(isolated_.end(), other.isolated_.begin(), other.isolated_.end());
  }

  [[nodiscard]] std::vector<double> isolated_p() const {
    std::vector<double> p;
    for (const Isolated& i : isolated_) p.push_back(i.item.p);
    std::sort(p.begin(), p.end());
    p.erase(std::unique(p.begin(), p.end()), p.end());
    return p;
  }

  void add_isolated(const std::vector<DirectSum>& sums) {
    for (const Isolated& i : isolated_) {
      const auto at = std::lower_bound(sums.begin(), sums.end(), i.item.p,
                                       [](const DirectSum& s, double p) { return s.p < p; });
      each_kind(i.item, i.whole_counts, leave_out_, {0.0, 0.0}, [&](double mass, Rest minus) {
        add(i.item, mass, rest_of_direct(*at, {-minus.w, -minus.wy}), i.whole_mass);
      });
    }
  }

  [[nodiscard]] KdeErrors finish() const { return gaps_.finish(); }

 private:
  struct Isolated {
    Item item;
    bool whole_counts, whole_mass;
  };
  void add(const Item& item, double mass, Rest rest, bool whole_mass) {
    if (!(rest.w > 0.0)) return;  // no vote is left
    const double gap = std::abs(rest.wy / rest.w - item.p);
    if (whole_mass) {
      gaps_.add_whole(static_cast<std::int64_t>(mass), std::min(gap, 1.0));
    } else {
      gaps_.add_real(mass, gap);
    }
  }

  const KdeEnds* ends_;
  double per_tolerance_;
  LeaveOut leave_out_;
  GapSums gaps_;
  std::vector<Isolated> isolated_;
};

}  // namespace plumb::detail
