// How far a bin's accuracy is off by chance, the unit of resampling being left out one after another.
#include <cmath>
#include <type_traits>

#include "metrics/shared/arithmetic.hpp"
#include "plumb/uncertainty/bins.hpp"

namespace plumb {
namespace {

/// Sums over the units of a growing range of a column. All of them are order-free.
template <class A>
class UnitSums {
 public:
  UnitSums(const ForecastsView& f, std::span<const std::uint32_t> unit, std::size_t units)
      : f_(f), unit_(unit) {
    if (!unit.empty()) by_unit_.resize(units);
  }

  void add(std::size_t begin, std::size_t end) {
    if constexpr (std::is_same_v<A, detail::Whole>) {
      if (unit_.empty() && f_.trials.empty() && f_.times.empty()) return add_single(begin, end);
    }
    for (std::size_t i = begin; i < end; ++i) {
      Unit one;
      A::add_mass(one.mass, f_, i);
      if (!A::positive(one.mass)) continue;
      A::add_hits(one.hits, f_, i);
      if (unit_.empty()) {
        add_unit(one);
        continue;
      }
      Unit& unit_sums = by_unit_[unit_[i]];
      if (!A::positive(unit_sums.mass)) touched_.push_back(unit_[i]);
      A::add(unit_sums.mass, one.mass);
      A::add(unit_sums.hits, one.hits);
    }
  }

  /// sqrt(n / (n-1) sum_u (h_u - p m_u)^2) / M.
  [[nodiscard]] std::optional<double> error() {
    if (!unit_.empty()) {
      clear_sums();
      for (const std::uint32_t u : touched_) add_unit(by_unit_[u]);
    }
    if (count_ < 2) return std::nullopt;
    const double mass = A::value(mass_);
    const double p = A::hits_value(hits_) / mass;
    const double n = count_;
    const double squares = A::pairs_value(hh_) - 2 * p * A::pairs_value(hm_) + p * p * A::pairs_value(mm_);
    return std::sqrt(std::max(0.0, squares) * n / (n - 1)) / mass;
  }

  void clear() {
    clear_sums();
    for (const std::uint32_t u : touched_) by_unit_[u] = {};
    touched_.clear();
  }

 private:
  struct Unit {
    typename A::Mass mass{};
    typename A::Hits hits{};
  };
  // One vote each: mass 1, hits 0 or 1, so that all squares are the sums themselves.
  void add_single(std::size_t begin, std::size_t end) {
    std::int64_t hits = 0;
    for (std::size_t i = begin; i < end; ++i) hits += static_cast<std::int64_t>(f_.hits[i]);
    const std::int64_t n = end - begin;
    count_ += n;
    mass_ += n;
    hits_ += hits;
    hh_ += hits;
    hm_ += hits;
    mm_ += n;
  }
  void add_unit(const Unit& u) {
    ++count_;
    A::add(mass_, u.mass);
    A::add(hits_, u.hits);
    A::add_pairs(hh_, u.hits, u.hits);
    A::add_pairs(hm_, u.hits, u.mass);
    A::add_pairs(mm_, u.mass, u.mass);
  }
  void clear_sums() {
    count_ = 0;
    mass_ = {};
    hits_ = {};
    hh_ = hm_ = mm_ = {};
  }

  ForecastsView f_;
  std::span<const std::uint32_t> unit_;
  std::vector<Unit> by_unit_;
  std::vector<std::uint32_t> touched_;
  std::int64_t count_ = 0;
  typename A::Mass mass_{};
  typename A::Hits hits_{};
  typename A::Pairs hh_{}, hm_{}, mm_{};
};

template <class A>
std::vector<UncertaintyBin> coarse_bins(const std::vector<UncertaintyBin>& bins, UnitSums<A> sums,
                                        double bound) {
  std::vector<UncertaintyBin> out;
  std::optional<UncertaintyBin> open;
  for (const UncertaintyBin& b : bins) {
    if (open) {
      open->join(b);
    } else {
      open = b;
    }
    sums.add(b.begin, b.end);
    open->error = sums.error();
    const auto relative = open->relative_error();
    if (!relative || *relative > bound) continue;
    out.push_back(*open);
    open.reset();
    sums.clear();
  }
  if (!open) return out;
  if (out.empty()) return {*open};
  out.back().join(*open);
  sums.clear();
  sums.add(out.back().begin, out.back().end);
  out.back().error = sums.error();
  return out;
}

}  // namespace

void add_errors(std::vector<UncertaintyBin>& bins, const ForecastsView& confidence,
                std::span<const std::uint32_t> unit, std::size_t units) {
  detail::with_counts(confidence, [&]<class A>(A) {
    UnitSums<A> sums(confidence, unit, units);
    for (UncertaintyBin& b : bins) {
      sums.clear();
      sums.add(b.begin, b.end);
      b.error = sums.error();
    }
    return 0;
  });
}

std::vector<UncertaintyBin> coarsen(const std::vector<UncertaintyBin>& bins, const ForecastsView& confidence,
                                    std::span<const std::uint32_t> unit, std::size_t units, double bound) {
  return detail::with_counts(
      confidence, [&]<class A>(A) { return coarse_bins(bins, UnitSums<A>(confidence, unit, units), bound); });
}

}  // namespace plumb
