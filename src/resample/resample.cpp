#include "plumb/resample/resample.hpp"

#include "plumb/numeric/random.hpp"

namespace plumb {

const char* null_name(NullKind kind, bool grouped) {
  if (kind == NullKind::labels) return "labels drawn from the forecasts";
  return grouped ? "residuals of each group with a random sign" : "residuals of each item with a random sign";
}

void NullDraw::draw(NullKind kind, std::uint64_t seed, std::uint32_t replicate, std::span<const std::uint64_t> units) {
  kind_ = kind;
  if (kind == NullKind::labels) {
    uniform_.resize(units.size());
    fill_uniform(seed, Purpose::kNullLabels, replicate, units, uniform_);
  } else {
    sign_.resize(units.size());
    fill_signs(seed, replicate, units, sign_);
  }
}

void NullDraw::hits(const ForecastsView& observed, std::vector<double>& out) const {
  const std::size_t n = observed.size();
  out.resize(n);
  if (kind_ == NullKind::labels) {
    for (std::size_t i = 0; i < n; ++i) out[i] = uniform_[i] < observed.p[i] ? observed.trials_of(i) : 0.0;
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double expected = observed.trials_of(i) * observed.p[i];
    out[i] = sign_[i] > 0 ? observed.hits[i] : expected - (observed.hits[i] - expected);
  }
}

void NullDraw::classes(const ItemBlock& block, VoteBlock& out) const {
  const auto n = static_cast<std::size_t>(block.size);
  out.size = block.size;
  out.single = true;
  out.cls.resize(n);
  const auto width = static_cast<std::size_t>(block.z.width);
  for (std::size_t i = 0; i < n; ++i) {
    const double u = uniform_[i];
    if (block.binary()) {
      out.cls[i] = u < block.z.z[i] ? 1 : 0;
      continue;
    }
    const std::span<const double> row(block.z.z.data() + i * width, width);
    const auto top = static_cast<std::size_t>(argmax(row));
    double reached = row[top];
    std::size_t drawn = top;
    for (std::size_t k = 0; k < width && u >= reached; ++k) {
      if (k == top) continue;
      reached += row[k];
      if (row[k] > 0) drawn = k;  // rounding at the end of the row falls to the last possible class
    }
    out.cls[i] = static_cast<std::uint32_t>(drawn);
  }
}

}  // namespace plumb
