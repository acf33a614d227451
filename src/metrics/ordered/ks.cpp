#include "plumb/metrics/ordered/ks.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "metrics/shared/groups.hpp"

namespace plumb {

namespace {

// The largest |sum| on the way of a running sum.
class ExactPeak {
 public:
  void add(const ExactSum& /*mass*/, const ExactSum& step) {
    sum_.merge(step);
    largest_ = std::max(largest_, std::fabs(sum_.value()));
  }
  [[nodiscard]] double value() { return largest_; }

 private:
  ExactSum sum_;
  double largest_ = 0;
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
  [[nodiscard]] double value() {
    end_stretch();
    return detail::Whole::area_value(largest_);
  }

 private:
  // A vote moves the sum by at most 1, or 3 with real hits in [-1, 2]: 3 * 2^10 * 2^50 < 2^63.
  static constexpr std::int64_t kRoom = 1024;
  void end_stretch() {
    largest_ = std::max({largest_, before_ + high_, -(before_ + low_)});
    before_ += sum_;
    sum_ = high_ = low_ = 0;
    room_ = kRoom;
  }
  int128 before_ = 0, largest_ = 0;
  std::int64_t sum_ = 0, high_ = 0, low_ = 0;  // within the stretch
  std::int64_t room_ = kRoom;
};
template <class A>
using PeakOf = std::conditional_t<std::is_same_v<A, detail::Weighted>, ExactPeak, WholePeak>;

template <class A>
Estimate ks_of(const ForecastsView& f) {
  typename A::Mass total{};
  PeakOf<A> residual;
  for (detail::Groups<A> g(f); g.next_or_empty();) {
    typename A::Area step = A::area(g.hits);
    A::add_area(step, g.mass, -to_fixed(g.p));
    residual.add(g.mass, step);
    A::add(total, g.mass);
  }
  if (!A::positive(total)) return no_votes();
  return residual.value() / A::value(total);
}

}  // namespace

Estimate ks(const ForecastsView& ascending) {
  return detail::with_residuals(ascending, [&]<class A>(A) { return ks_of<A>(ascending); });
}

}  // namespace plumb
