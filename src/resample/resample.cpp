#include "plumb/resample/resample.hpp"

#include <algorithm>
#include <set>

#include "plumb/data/check.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb {

const char* null_name(NullKind kind, bool grouped) {
  if (kind == NullKind::labels) return "labels drawn from the forecasts";
  return grouped ? "residuals of each group with a random sign" : "residuals of each item with a random sign";
}

std::int64_t drawable_units(const Items& items) {
  const Units units(items);
  std::set<std::uint64_t> found;
  ItemBlock block;
  for (std::int64_t begin = 0; begin < items.size(); begin += block_rows(items)) {
    read_items(items, begin, std::min(items.size(), begin + block_rows(items)), block);
    for (std::int64_t i = 0; i < block.size; ++i) {
      if (block.votes.votes(i) == 0) continue;
      if (!block.weight.empty() && block.weight[i] == 0) continue;
      found.insert(units.of(begin + i));
      if (std::ssize(found) == kEnoughUnits) return kEnoughUnits;
    }
  }
  return std::ssize(found);
}

std::string few_units_note(std::int64_t units, bool grouped) {
  const std::string what = counted(units, grouped ? "group" : "item");
  if (units >= kEnoughUnits) return "";
  if (units < 2) return "no intervals and no p-values: there is but " + what + " to draw from";
  return "intervals and p-values rest on " + what + ": over so few they are rough, and mostly too narrow";
}

void NullDraw::draw(NullKind kind, std::uint64_t seed, std::uint32_t replicate,
                    std::span<const std::uint64_t> units) {
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

namespace {

std::uint32_t drawn_class(std::span<const double> row, double u) {
  const int top = argmax(row);
  double reached = row[top];
  int drawn = top;
  for (int k = 0; k < std::ssize(row) && u >= reached; ++k) {
    if (k == top) continue;
    reached += row[k];
    if (row[k] > 0) drawn = k;  // what rounding leaves at the end of the row falls to the last possible class
  }
  return drawn;
}

}  // namespace

void NullDraw::classes(const ItemBlock& block, VoteBlock& out) const {
  const int width = block.z.width;
  out = VoteBlock{};
  out.size = block.size;
  out.single = block.votes.single;
  if (!out.single) out.offset.push_back(0);
  for (std::int64_t i = 0; i < block.size; ++i) {
    const std::uint32_t votes = block.votes.votes(i);
    if (votes > 0) {
      const std::span<const double> row(block.z.z.data() + i * width, width);
      out.cls.push_back(block.binary() ? (uniform_[i] < row[0] ? 1 : 0) : drawn_class(row, uniform_[i]));
    }
    if (out.single) continue;
    if (votes > 0) out.count.push_back(votes);
    out.total.push_back(votes);
    out.offset.push_back(out.cls.size());
  }
}

}  // namespace plumb
