#include <algorithm>

#include "metrics/shared/arithmetic.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/uncertainty/bins.hpp"

namespace plumb {
namespace {

bool counts(const ForecastsView& f, std::size_t i) { return f.trials_of(i) > 0 && f.weight_of(i) > 0; }

template <class A>
struct Open {
  UncertaintyBin bin;
  typename A::Mass mass{};
  typename A::Hits hits{};
  void close(std::vector<UncertaintyBin>& out) {
    bin.mass = A::value(mass);
    bin.hits = A::hits_value(hits);
    out.push_back(bin);
  }
};

/// What the cuts share out equally: all answers, or those of one outcome.
enum class Shared { all, right, wrong };

template <class A>
typename A::Mass shared_mass(Shared shared, const typename A::Mass& mass, const typename A::Hits& hits) {
  if (shared == Shared::all) return mass;
  return shared == Shared::right ? hits : A::minus(mass, hits);
}

// From the most certain item on, which stands at the end of the column. Each run of equal values is summed
// first, for its bin depends on what lies before the whole of it.
template <class A>
std::vector<UncertaintyBin> bins_of(const ForecastsView& f, int bins, Shared shared) {
  typename A::Mass all{};
  typename A::Hits right{};
  for (std::size_t i = 0; i < f.size(); ++i) A::add_mass(all, f, i);
  if (shared != Shared::all)
    for (std::size_t i = 0; i < f.size(); ++i) A::add_hits(right, f, i);
  const typename A::Mass total = shared_mass<A>(shared, all, right);
  std::vector<UncertaintyBin> out;
  if (!A::positive(total)) return out;
  typename A::Mass below{};
  typename A::Reach reach(1, bins, total);
  bool last_bin = bins == 1;
  Open<A> open;
  for (std::size_t at = f.size(); at > 0;) {
    const double p = f.p[at - 1];
    Open<A> run;
    run.bin.end = at;
    do {
      --at;
      A::add_mass(run.mass, f, at);
      A::add_hits(run.hits, f, at);
      if (counts(f, at)) {
        ++run.bin.items;
        run.bin.votes += static_cast<std::int64_t>(f.trials_of(at));
      }
    } while (at > 0 && f.p[at - 1] == p);
    run.bin.begin = at;
    if (!A::positive(run.mass)) continue;
    if (open.bin.items > 0 && !last_bin && reach(below)) {
      open.close(out);
      open = {};
      const std::int64_t bin = A::bin(bins, below, total);
      last_bin = bin + 1 >= bins;
      reach = typename A::Reach(bin + 1, bins, total);
    }
    if (open.bin.items == 0) {
      open.bin.low = 0.0 - p;
      open.bin.end = run.bin.end;
    }
    open.bin.high = 0.0 - p;
    open.bin.begin = run.bin.begin;
    open.bin.items += run.bin.items;
    open.bin.votes += run.bin.votes;
    A::add(open.mass, run.mass);
    A::add(open.hits, run.hits);
    A::add(below, shared_mass<A>(shared, run.mass, run.hits));
  }
  open.close(out);
  return out;
}

}  // namespace

void UncertaintyBin::join(const UncertaintyBin& other) {
  low = std::min(low, other.low);
  high = std::max(high, other.high);
  begin = std::min(begin, other.begin);
  end = std::max(end, other.end);
  items += other.items;
  votes += other.votes;
  mass += other.mass;
  hits += other.hits;
  error.reset();
}

std::vector<UncertaintyBin> equal_mass_bins(const ForecastsView& confidence, int bins) {
  check_bins(bins);
  return detail::with_counts(confidence,
                             [&]<class A>(A) { return bins_of<A>(confidence, bins, Shared::all); });
}

RarerOutcome rarer_outcome(const ForecastsView& confidence) {
  std::int64_t right = 0, votes = 0;
  for (std::size_t i = 0; i < confidence.size(); ++i) {
    if (!counts(confidence, i)) continue;
    right += static_cast<std::int64_t>(confidence.hits[i]);
    votes += static_cast<std::int64_t>(confidence.trials_of(i));
  }
  RarerOutcome out;
  out.right = right < votes - right;
  out.votes = std::min(right, votes - right);
  out.bins = narrow<int>(std::min<std::int64_t>(kMostOddsBins, out.votes / kVotesPerOddsBin));
  return out;
}

std::vector<UncertaintyBin> rarer_outcome_bins(const ForecastsView& confidence, const RarerOutcome& rarer) {
  check_bins(rarer.bins);
  const Shared shared = rarer.right ? Shared::right : Shared::wrong;
  return detail::with_counts(confidence,
                             [&]<class A>(A) { return bins_of<A>(confidence, rarer.bins, shared); });
}

}  // namespace plumb
