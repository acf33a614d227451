#include "plumb/data/item_sample.hpp"

#include <algorithm>

#include "plumb/data/check.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb {
namespace {

constexpr std::int64_t kSampleBlock = 1 << 16;

/// Rows whose random number is at most `cut`, with these numbers. Ties have a chance of 2^-64.
void choose_rows(std::uint64_t seed, std::int64_t n, std::uint64_t cut, std::vector<std::int64_t>& rows,
                 std::vector<std::uint64_t>& keys) {
  std::vector<std::uint64_t> units, bits;
  for (std::int64_t begin = 0; begin < n; begin += kSampleBlock) {
    const std::int64_t end = std::min(n, begin + kSampleBlock);
    units.clear();
    for (std::int64_t i = begin; i < end; ++i) units.push_back(static_cast<std::uint64_t>(i));
    bits.resize(units.size());
    fill_bits(seed, Purpose::sample, 0, units, bits);
    for (std::int64_t i = begin; i < end; ++i) {
      if (bits[i - begin] > cut) continue;
      rows.push_back(i);
      keys.push_back(bits[i - begin]);
    }
  }
}

/// Two classes with one number per row as two, or with two as one.
void read_as(const Predictions& two, std::int64_t width, std::int64_t n, std::span<double> out) {
  const bool logits = two.scale() == Scale::logit;
  std::vector<double> one(n);
  if (!logits) {
    PredictionBlock block;
    two.read(0, n, block);
    std::copy_n(block.z.begin(), n, one.begin());
  } else if (width == 2) {
    two.sources().front().read(0, n, one);
  } else {
    std::vector<double> pairs(2 * n);
    two.sources().front().read(0, n, pairs);
    for (std::int64_t i = 0; i < n; ++i) one[i] = pairs[2 * i + 1] - pairs[2 * i];
  }
  for (std::int64_t i = 0; i < n; ++i) {
    if (width == 2) out[2 * i] = logits ? 0 : 1 - one[i];
    out[width * i + width - 1] = one[i];
  }
}

}  // namespace

std::int64_t ItemSample::held() const {
  std::int64_t out = 0;
  for (const Block& b : blocks_) out += std::ssize(b.rows);
  return out;
}

void ItemSample::add(const std::string& set, const std::string& unit, const Items& items,
                     const std::vector<std::string>& raters, std::span<const std::int64_t> numbers) {
  const Rows& source = items.predictions.sources().front();
  if (blocks_.empty()) {
    classes_ = items.classes();
    scale_ = items.predictions.scale();
    options_.normalize = items.predictions.normalizes();
    width_ = source.width();
    rank_ = source.rank();
    class_names_ = items.class_names;
  }
  if (items.classes() != classes_)
    throw InputError("it has " + counted(items.classes(), "class") + ", and the cases before it have " +
                     std::to_string(classes_));
  if (items.predictions.samples() != 1 || !items.weights.empty())
    throw InputError("it has weights or stochastic predictions, of which no sample can be drawn");
  Block b;
  b.unit = unit;
  for (const std::string& name : raters) {
    const auto at = std::find(raters_.begin(), raters_.end(), name);
    b.raters.push_back(at - raters_.begin());
    if (at == raters_.end()) raters_.push_back(name);
  }
  choose_rows(seed_ ^ hash_name(set), items.size(), cut_, b.rows, b.keys);
  const Items taken = items.gather(b.rows);
  const std::int64_t n = std::ssize(b.rows);
  b.z.resize(n * width_);
  if (n > 0 && source.width() == width_) taken.predictions.sources().front().read(0, n, b.z);
  if (n > 0 && source.width() != width_) read_as(taken.predictions, width_, n, b.z);
  if (n > 0) taken.votes.read_ratings(0, n, b.votes);
  if (!numbers.empty())
    for (std::int64_t& row : b.rows) row = numbers[row];
  seen_ += items.size();
  blocks_.push_back(std::move(b));
  if (held() > most_ + most_ / 2) cut_to(most_);
}

void ItemSample::cut_to(std::int64_t most) {
  std::vector<std::uint64_t> keys;
  for (const Block& b : blocks_) keys.insert(keys.end(), b.keys.begin(), b.keys.end());
  if (std::ssize(keys) <= most) return;
  std::nth_element(keys.begin(), keys.begin() + (most - 1), keys.end());
  cut_ = keys[most - 1];
  for (Block& b : blocks_) {
    const std::size_t raters = b.raters.size();
    std::int64_t to = 0;
    for (std::int64_t i = 0; i < std::ssize(b.rows); ++i) {
      if (b.keys[i] > cut_) continue;
      b.keys[to] = b.keys[i];
      b.rows[to] = b.rows[i];
      std::copy_n(b.z.begin() + i * width_, width_, b.z.begin() + to * width_);
      std::copy_n(b.votes.begin() + i * raters, raters, b.votes.begin() + to * raters);
      ++to;
    }
    b.keys.resize(to);
    b.rows.resize(to);
    b.z.resize(to * width_);
    b.votes.resize(to * raters);
    b.z.shrink_to_fit();
    b.votes.shrink_to_fit();
  }
}

ItemSample::Taken ItemSample::finish() {
  cut_to(most_);
  const std::int64_t n = held(), columns = std::ssize(raters_);
  Taken out;
  std::vector<double> z;
  std::vector<std::int32_t> votes;
  std::vector<std::string> units;
  z.reserve(n * width_);
  votes.reserve(n * columns);
  for (std::size_t s = 0; s < blocks_.size(); ++s) {
    Block& b = blocks_[s];
    const std::size_t raters = b.raters.size();
    z.insert(z.end(), b.z.begin(), b.z.end());
    for (std::size_t i = 0; i < b.rows.size(); ++i) {
      const std::size_t at = votes.size();
      votes.resize(at + columns, -1);
      for (std::size_t r = 0; r < raters; ++r) votes[at + b.raters[r]] = b.votes[i * raters + r];
      units.push_back(b.unit);
      out.rows.push_back({static_cast<std::uint32_t>(s), b.rows[i]});
    }
    b = {};
  }
  std::vector<std::int64_t> shape{n};
  if (rank_ > 1) shape.push_back(width_);
  Items& items = out.items;
  items.predictions =
      Predictions({Rows(array_of(std::move(z), std::move(shape), "the sample"))}, scale_, options_);
  items.votes =
      Votes::from_ratings(Rows(array_of(std::move(votes), {n, columns}, "the sample's votes")), classes_);
  items.groups = Names(Rows(array_of(std::move(units), {n}, "the cases")), "case");
  items.class_names = class_names_;
  return out;
}

}  // namespace plumb
