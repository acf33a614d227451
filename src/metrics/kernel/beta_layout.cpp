#include "metrics/kernel/beta_layout.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>

#include "plumb/numeric/narrow.hpp"

namespace plumb {
namespace {

using detail::BetaBox;
using detail::BetaLayout;
using detail::BetaTable;

constexpr double kDefaultAccuracy = 1e-10;
constexpr double kDefaultStep = 0.8;
constexpr double kSmallestTarget = 0x1p-1022;
// The last box ends at p = 1/2: the kernel of x is smooth at neither end, so a box must not come near the far
// one. Where that would leave a box of hardly any width, it is joined to the one below.
constexpr double kLeastRatio = 1.1;

BetaBox box_between(double low, double high) {
  const double half = 0.5 * (high - low);
  return {0.5 * (high + low), half};
}

std::vector<double> places_of(const std::vector<BetaBox>& side) {
  std::vector<double> place;
  for (int both = 0; both < 2; ++both) {
    for (const BetaBox& b : side) place.insert(place.end(), {b.centre, 1.0 / b.half});
  }
  return place;
}

}  // namespace

BetaBoxes::BetaBoxes(double h, double accuracy) : bandwidth(h) {
  check_bandwidth(h);
  // Series of sixteen terms err like step^16.
  const double root16 = std::sqrt(std::sqrt(std::sqrt(std::sqrt(accuracy / kDefaultAccuracy))));
  step = std::clamp(kDefaultStep * root16, 0.5, 1.5);
}

int BetaBoxes::even_boxes() const {
  const double most = 0.5 / bandwidth;  // alpha at p = 1/2
  if (most < kLeastRatio) return 0;
  return static_cast<int>(std::ceil((2.0 * std::sqrt(most) - 2.0) / step));
}

BetaLayout::BetaLayout(const BetaBoxes& boxes)
    : n_(1.0 / boxes.bandwidth),
      first_even_(std::numeric_limits<double>::infinity()),
      even_(boxes.even_boxes()) {
  const double top = 0.5 * n_;  // alpha at p = 1/2
  while (even_ == 0 && std::ldexp(0.5, -first_octave_) * kLeastRatio > top) ++first_octave_;
  const auto octave = [&](int o) {
    const bool last = even_ == 0 && o <= first_octave_;
    return box_between(std::ldexp(0.5, -std::max(o, first_octave_)), last ? top : std::ldexp(1.0, -o));
  };
  for (int o = 0; o < BetaBoxes::kTargetOctaves; ++o) target_.push_back(octave(o));
  source_.assign(target_.begin(), target_.begin() + BetaBoxes::kSourceOctaves - 1);
  source_.push_back(box_between(0.0, std::ldexp(1.0, 1 - BetaBoxes::kSourceOctaves)));
  if (even_ > 0) {
    first_even_ = 1.0;
    const double width = (2.0 * std::sqrt(top) - 2.0) / even_;
    per_step_ = 1.0 / width;
    const auto edge = [&](int j) {
      const double u = 2.0 + j * width;
      return j == even_ ? top : 0.25 * u * u;
    };
    for (int j = 0; j < even_; ++j) {
      source_.push_back(box_between(edge(j), edge(j + 1)));
      target_.push_back(source_.back());
    }
  }
  source_place_ = places_of(source_);
  target_place_ = places_of(target_);
}

BetaTable BetaLayout::table(const std::vector<BetaBox>& of, const std::vector<double>& place,
                            double least) const {
  const double boxes = of.size();
  return {n_,
          least,
          first_even_,
          per_step_,
          even_ - 1.0,
          boxes - even_,
          static_cast<double>(first_octave_),
          boxes,
          place.data()};
}

void BetaLayout::locate_sources(std::span<const double> p, std::span<std::uint32_t> box,
                                std::span<double> t) const {
  locate_beta(table(source_, source_place_, 0.0), p.data(), p.size(), box.data(), t.data());
}

void BetaLayout::locate_targets(std::span<const double> p, std::span<std::uint32_t> box,
                                std::span<double> t) const {
  locate_beta(table(target_, target_place_, kSmallestTarget), p.data(), p.size(), box.data(), t.data());
}

int BetaLayout::target_of(double r) const {
  std::uint32_t box = 0;
  double t = 0;
  locate_targets({&r, 1}, {&box, 1}, {&t, 1});
  return narrow<int>(box);
}

std::shared_ptr<const BetaLayout> detail::shared_layout(const BetaBoxes& boxes) {
  constexpr std::size_t kMost = 32;  // some 70 kB each
  static std::mutex mutex;
  static std::map<std::pair<double, double>, std::shared_ptr<const BetaLayout>> made;
  const std::scoped_lock lock(mutex);
  const std::pair key(boxes.bandwidth, boxes.step);
  if (made.size() >= kMost && !made.contains(key)) made.clear();
  auto& layout = made[key];
  if (!layout) layout = std::make_shared<const BetaLayout>(boxes);
  return layout;
}

}  // namespace plumb
