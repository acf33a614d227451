#include "plumb/metrics/kernel/beta_sums.hpp"

#include <stdexcept>

#include "metrics/kernel/beta_layout.hpp"
#include "plumb/metrics/kernel/forecast_pass.hpp"

namespace plumb {
namespace {

void add_votes(VotesAt& at, double mass, double hits) {
  at.w.add(mass);
  at.wy.add(hits);
}

void merge_votes(VotesAt& into, const VotesAt& from, bool nearer) {
  if (into.p == from.p) {
    into.w.merge(from.w);
    into.wy.merge(from.wy);
  } else if (nearer) {
    into = from;
  }
}

}  // namespace

BetaSums::BetaSums(const BetaBoxes& b) : boxes(b), moments(2 * b.source_boxes()) {}

void BetaSums::merge(const BetaSums& other) {
  if (boxes != other.boxes)
    throw std::invalid_argument("kernel sums of different bandwidths cannot be merged");
  moments.merge(other.moments);
  merge_ends(other);
}

void BetaSums::merge_ends(const BetaSums& other) {
  merge_votes(at_zero, other.at_zero, false);
  merge_votes(at_one, other.at_one, false);
  merge_votes(above_zero, other.above_zero, other.above_zero.p < above_zero.p);
  merge_votes(below_one, other.below_one, other.below_one.p > below_one.p);
}

// T_0 = 1: the first moment of a box is its mass.
ExactSum BetaSums::weight() const {
  ExactSum sum;
  for (std::size_t i = 0; i < moments.w.size(); i += kMoments) sum.merge(moments.w[i]);
  return sum;
}

ExactSum BetaSums::hits() const {
  ExactSum sum;
  for (std::size_t i = 0; i < moments.wy.size(); i += kMoments) sum.merge(moments.wy[i]);
  return sum;
}

BetaSumsBuilder::BetaSumsBuilder(const BetaBoxes& boxes)
    : layout_(detail::shared_layout(boxes)), moments_(2 * boxes.source_boxes()) {
  ends_.boxes = boxes;
}
BetaSumsBuilder::~BetaSumsBuilder() = default;
BetaSumsBuilder::BetaSumsBuilder(BetaSumsBuilder&&) noexcept = default;

void BetaSumsBuilder::update_ends(const ForecastsView& f, std::size_t i) {
  const double w = f.weight_of(i);
  const double mass = w * f.trials_of(i);
  if (!(mass > 0.0)) return;
  const double p = f.p[i];
  const double hits = w * f.hits[i];
  if (p == 0.0) add_votes(ends_.at_zero, mass, hits);
  if (p == 1.0) add_votes(ends_.at_one, mass, hits);
  if (p > 0.0 && p <= ends_.above_zero.p) {
    if (p < ends_.above_zero.p) ends_.above_zero = {p, {}, {}};
    add_votes(ends_.above_zero, mass, hits);
  }
  if (p < 1.0 && p >= ends_.below_one.p) {
    if (p > ends_.below_one.p) ends_.below_one = {p, {}, {}};
    add_votes(ends_.below_one, mass, hits);
  }
}

void BetaSumsBuilder::update(const ForecastsView& f) {
  box_.resize(f.size());
  t_.resize(f.size());
  layout_->locate_sources(f.p, box_, t_);
  moments_.update(box_, t_, f);
  // The nearest to each end are known first, so that a block in ascending order is not taken for a row of
  // ever nearer ones.
  double above_zero = ends_.above_zero.p, below_one = ends_.below_one.p;
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double p = f.p[i];
    if (!(f.weight_of(i) * f.trials_of(i) > 0.0)) continue;
    above_zero = p > 0.0 && p < above_zero ? p : above_zero;
    below_one = p < 1.0 && p > below_one ? p : below_one;
  }
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (f.p[i] <= above_zero || f.p[i] >= below_one) update_ends(f, i);
  }
}

void BetaSumsBuilder::merge(BetaSumsBuilder& other) {
  moments_.merge(other.moments_);
  ends_.merge_ends(other.ends_);
  other.ends_ = {};
  other.ends_.boxes = ends_.boxes;
}

BetaSums BetaSumsBuilder::finish() {
  BetaSums out;
  out.boxes = ends_.boxes;
  std::swap(out, ends_);
  ends_.boxes = out.boxes;
  out.moments = moments_.finish();
  return out;
}

BetaSums beta_sums(const ForecastPass& pass, const BetaBoxes& boxes) {
  std::vector<BetaSumsBuilder> builder;
  for (int w = 0; w < pass.workers; ++w) builder.emplace_back(boxes);
  pass.run([&](int worker, const ForecastsView& f) { builder[worker].update(f); });
  for (std::size_t w = 1; w < builder.size(); ++w) builder[0].merge(builder[w]);
  return builder[0].finish();
}

}  // namespace plumb
