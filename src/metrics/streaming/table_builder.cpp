#include <array>
#include <cmath>

#include "metrics/streaming/bin_kernels.hpp"
#include "metrics/streaming/integer_bin.hpp"

namespace plumb {
namespace {

using detail::Pair;

/// Beyond this many bins the private tables leave the cache and emptying them costs more than they save.
constexpr int kMostPairBins = 1024;
constexpr int kMostDrawnBins = 128;  // those of a resample are emptied more often

bool fits_pairs(const BinEdges& edges) {
  return edges.count() <= kMostPairBins &&
         (edges.equal_width || edges.thresholds.size() < detail::kManyThresholds);
}

/// By way of int64, for which there is an instruction.
std::uint64_t whole_count(double x) { return static_cast<std::int64_t>(x); }

}  // namespace

TableBuilder::TableBuilder(BinEdges edges) : table_(std::move(edges)), integer_(table_.bins.size()) {}

void TableBuilder::update(const ForecastsView& f) {
  if (!f.whole_counts) {
    update_weighted(f);
  } else if (!f.weight.empty()) {
    update_integer(f);
  } else if (f.trials.empty() && f.times.empty() && fits_pairs(table_.edges)) {
    update_binary(f.p, f.hits);
  } else if (f.trials.empty() && table_.edges.count() <= kMostDrawnBins && fits_pairs(table_.edges)) {
    update_drawn(f);
  } else {
    update_integer(f);
  }
}

void TableBuilder::update_binary(std::span<const double> p, std::span<const double> hits) {
  if (pair_.empty()) pair_.resize(detail::kPrivateTables * table_.bins.size());
  constexpr std::size_t kStep = detail::kPrivateTables * 1024;
  for (std::size_t begin = 0; begin < p.size(); begin += kStep) {
    const std::size_t n = std::min(kStep, p.size() - begin);
    // to the first table
    const std::uint64_t most = (n + detail::kPrivateTables - 1) / detail::kPrivateTables;
    if (pair_used_ + most > detail::kPairCapacity) flush_pairs();
    pair_used_ += most;
    detail::add_binary(table_.edges, p.data() + begin, hits.data() + begin, n, pair_.data());
  }
}

void TableBuilder::update_drawn(const ForecastsView& f) {
  if (drawn_.empty()) drawn_.resize((detail::kMostDrawn + 1) * table_.bins.size());
  constexpr std::size_t kStep = 4096;
  for (std::size_t begin = 0; begin < f.size(); begin += kStep) {
    const std::size_t n = std::min(kStep, f.size() - begin);
    if (drawn_used_ + n > detail::kPairCapacity) flush_drawn();
    drawn_used_ += n;
    detail::add_drawn(table_.edges, f.p.data() + begin, f.hits.data() + begin, f.times.data() + begin, n,
                      drawn_.data());
    for (std::size_t i = begin; i < begin + n; ++i)
      if (f.times[i] > detail::kMostDrawn) update_integer(f.slice(i, 1));
  }
}

// Items of a whole weight too, if there are weights: their sums are the same to the bit.
void TableBuilder::update_integer(const ForecastsView& f) {
  alignas(64) std::array<std::int32_t, detail::kForecastChunk> index;
  alignas(64) std::array<std::uint64_t, detail::kForecastChunk> fixed;
  for (std::size_t begin = 0; begin < f.size(); begin += detail::kForecastChunk) {
    const std::size_t n = std::min(detail::kForecastChunk, f.size() - begin);
    detail::place_forecasts(table_.edges, f.p.data() + begin, n, index.data(), fixed.data());
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t i = begin + j;
      const double times = f.weight_of(i);
      const double given = times * f.trials_of(i);
      if (given > detail::kWholeCapacity || times != std::floor(times)) {
        add_weighted(f, i);
        continue;
      }
      const std::uint64_t mass = whole_count(given);
      if (mass > detail::kWholeCapacity - integer_mass_) flush_integer();
      integer_mass_ += mass;
      detail::IntegerBin& bin = integer_[index[j]];
      detail::add_mass(bin, fixed[j], mass, whole_count(f.trials_of(i)));
      detail::add_hits(bin, whole_count(times * f.hits[i]));
    }
  }
}

void TableBuilder::add_weighted(const ForecastsView& f, std::size_t i) {
  Bin& bin = table_.bins[table_.edges.bin_of(f.p[i])];
  detail::add_item(bin, f.p[i], f.trials_of(i), f.hits[i], f.weight_of(i));
}

void TableBuilder::update_weighted(const ForecastsView& f) {
  for (std::size_t i = 0; i < f.size(); ++i) add_weighted(f, i);
}

void TableBuilder::flush_pairs() {
  const std::size_t bins = table_.bins.size();
  if (pair_used_ * detail::kPrivateTables > detail::kWholeCapacity - integer_mass_) flush_integer();
  for (std::size_t i = 0; i < pair_.size(); ++i) {
    const detail::PairSums s = detail::read_pair(pair_[i]);
    detail::add_singles(integer_[i % bins], s.p, s.count, s.hits);
    integer_mass_ += s.count;
    pair_[i] = {};
  }
  pair_used_ = 0;
}

void TableBuilder::flush_drawn() {
  const std::size_t bins = table_.bins.size();
  if (detail::kMostDrawn * drawn_used_ > detail::kWholeCapacity - integer_mass_) flush_integer();
  for (std::size_t i = bins; i < drawn_.size(); ++i) {
    const detail::PairSums s = detail::read_pair(drawn_[i]);
    detail::add_singles(integer_[i % bins], s.p, s.count, s.hits, i / bins);
    integer_mass_ += i / bins * s.count;
  }
  std::fill(drawn_.begin(), drawn_.end(), Pair{});
  drawn_used_ = 0;
}

void TableBuilder::flush_integer() {
  for (std::size_t b = 0; b < integer_.size(); ++b) detail::move_into(table_.bins[b], integer_[b]);
  integer_mass_ = 0;
}

ReliabilityTable TableBuilder::finish() {
  flush_pairs();
  flush_drawn();
  flush_integer();
  ReliabilityTable done = std::move(table_);
  table_ = ReliabilityTable(done.edges);
  return done;
}

}  // namespace plumb
