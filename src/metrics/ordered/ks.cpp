#include "plumb/metrics/ordered/ks.hpp"

#include <algorithm>
#include <type_traits>

#include "metrics/shared/groups.hpp"

namespace plumb {

namespace {

// The highest and the lowest point on the way of a running sum that begins at 0.
struct Extremes {
  double low = 0, high = 0, range = 0;
};

class ExactPeak {
 public:
  void add(const ExactSum& /*mass*/, const ExactSum& step) {
    sum_.merge(step);
    const double at = sum_.value();
    if (at > high_value_) high_ = sum_, high_value_ = at;
    if (at < low_value_) low_ = sum_, low_value_ = at;
  }
  [[nodiscard]] Extremes extremes() const {
    return {low_value_, high_value_, detail::Weighted::minus(high_, low_).value()};
  }

 private:
  ExactSum sum_, low_, high_;
  double low_value_ = 0, high_value_ = 0;
};

// In integers: a stretch of few votes runs in 64 bits, at less than half the cost of 128.
class WholePeak {
 public:
  void add(std::int64_t mass, int128 step) {
    if (mass > room_) {
      end_stretch();
      if (mass > kRoom) {
        before_ += step;
        end_stretch();
        return;
      }
    }
    room_ -= mass;
    sum_ += static_cast<std::int64_t>(step);
    high_ = std::max(high_, sum_);
    low_ = std::min(low_, sum_);
  }
  [[nodiscard]] Extremes extremes() {
    end_stretch();
    using detail::Whole;
    return {Whole::area_value(lowest_), Whole::area_value(highest_), Whole::area_value(highest_ - lowest_)};
  }

 private:
  // A vote moves the sum by at most 1, or 3 with real hits in [-1, 2]: 3 * 2^10 * 2^50 < 2^63.
  static constexpr std::int64_t kRoom = 1024;
  void end_stretch() {
    highest_ = std::max(highest_, before_ + high_);
    lowest_ = std::min(lowest_, before_ + low_);
    before_ += sum_;
    sum_ = high_ = low_ = 0;
    room_ = kRoom;
  }
  int128 before_ = 0, highest_ = 0, lowest_ = 0;
  std::int64_t sum_ = 0, high_ = 0, low_ = 0;  // within the stretch
  std::int64_t room_ = kRoom;
};
template <class A>
using PeakOf = std::conditional_t<std::is_same_v<A, detail::Weighted>, ExactPeak, WholePeak>;

template <class A>
CumulativeGaps gaps_of(const ForecastsView& f) {
  typename A::Mass total{};
  PeakOf<A> residual;
  for (detail::Groups<A> g(f); g.next_or_empty();) {
    typename A::Area step = A::area(g.hits);
    A::add_area(step, g.mass, -to_fixed(g.p));
    residual.add(g.mass, step);
    A::add(total, g.mass);
  }
  if (!A::positive(total)) return {no_votes(), no_votes()};
  const Extremes e = residual.extremes();
  return {std::max(e.high, -e.low) / A::value(total), e.range / A::value(total)};
}

}  // namespace

CumulativeGaps cumulative_gaps(const ForecastsView& ascending) {
  return detail::with_residuals(ascending, [&]<class A>(A) { return gaps_of<A>(ascending); });
}

Estimate ks(const ForecastsView& ascending) { return cumulative_gaps(ascending).ks; }
Estimate kuiper(const ForecastsView& ascending) { return cumulative_gaps(ascending).kuiper; }

}  // namespace plumb
