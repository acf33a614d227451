#include "plumb/metrics/kernel/vote_bandwidth.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "metrics/kernel/bin_kernel.hpp"
#include "plumb/numeric/elementary.hpp"

namespace plumb {
namespace {

using detail::BinKernel;
using detail::kVoteBins;
using detail::vote_bin;
using detail::vote_bins;
using detail::VoteBins;
using detail::VoteKind;

constexpr int kSteps = 24;           // of a factor 10^(1/6), from 1e-4 to 1
constexpr int kFineOfStep = 4;       // the answer is rounded to 10^(1/24)
constexpr int kHalfDecade = 3;       // steps
constexpr int kTenths = 10;          // of [0, 1]
constexpr double kPriorVotes = 0.1;  // of an average vote
// Errors are told apart in units of a vote's own variance: V votes with mean squared errors e and e + d
// differ by V d / 2e nats of a Gaussian likelihood.
constexpr double kNoEvidence = 0.01;
constexpr double kEvidence = 2.0;  // over half a decade: then an end of the range matters
constexpr double kLogTen = 2.302585092994045684;

double bandwidth_of(double step) { return std::min(1.0, exp_portable((step / 6 - 4) * kLogTen)); }

// The scan's bandwidths are the same for every column, so their kernels are kept.
const BinKernel& kernel_of_step(int i) {
  static std::array<std::once_flag, kSteps + 1> once;
  static std::array<std::unique_ptr<const BinKernel>, kSteps + 1> kernel;
  std::call_once(once[i], [i] { kernel[i] = std::make_unique<const BinKernel>(bandwidth_of(i)); });
  return *kernel[i];
}

// The tenth of [0, 1] that a bin begins in.
std::size_t tenth_of(std::size_t bin) {
  static const std::vector<std::size_t> first = [] {
    std::vector<std::size_t> v;
    for (int t = 1; t < kTenths; ++t) v.push_back(vote_bin(1.0 * t / kTenths));
    return v;
  }();
  return std::upper_bound(first.begin(), first.end(), bin) - first.begin();
}

// Bins and kinds are taken in order: the sums do not depend on how the items were counted.
VoteErrors errors_at(const VoteBins& votes, std::span<const std::size_t> filled, const BinKernel& kernel) {
  const std::vector<double> w = kernel.join(votes.w, filled), wy = kernel.join(votes.wy, filled);
  const double a = kPriorVotes * (votes.weight / votes.votes), hits_of_a = a * (votes.hits / votes.weight);
  std::array<double, kTenths> error{}, weight{};
  BinKernel::Sums g;
  std::size_t at = kernel.bins();
  for (const VoteKind& k : votes.kind) {
    if (kernel.joined(k.bin) != at) {
      at = kernel.joined(k.bin);
      g = kernel.at(at, w, wy);
    }
    const double rest = std::max(0.0, g.all - k.weight * k.trials);
    const double rest_hits = std::clamp(g.hits - k.weight * k.hits, 0.0, rest);
    const double m = (rest_hits + hits_of_a) / (rest + a);
    const std::size_t t = tenth_of(k.bin);
    const double of_each = k.items * k.weight;
    error[t] += of_each * (k.hits * ((1 - m) * (1 - m)) + (k.trials - k.hits) * (m * m));
    weight[t] += of_each * k.trials;
  }
  double sum = 0, total = 0, means = 0;
  int used = 0;
  for (std::size_t t = 0; t < kTenths; ++t) {
    if (!(weight[t] > 0)) continue;
    sum += error[t], total += weight[t];
    means += error[t] / weight[t];
    ++used;
  }
  return {sum / total, means / used};
}

/// The bins that hold votes: a few of 2,048 in a small slice, for each of which twenty kernels are tried.
std::vector<std::size_t> used_bins(const VoteBins& votes) {
  std::vector<std::size_t> out;
  for (std::size_t c = 0; c < kVoteBins; ++c)
    if (votes.w[c] > 0) out.push_back(c);
  return out;
}

bool can_predict(const VoteBins& votes, std::span<const std::size_t> used) {
  return used.size() > 1 && !votes.kind.empty();
}

class Search {
 public:
  Search(const VoteBins& votes, std::span<const std::size_t> used) : votes_(votes), used_(used) {
    for (int i = 0; i <= kSteps; i += 2) look(i);
  }
  Bandwidth least(double VoteErrors::*of) {
    int at = best(of);
    for (int before = -1; before != at; at = best(of)) {  // until the best has both its neighbours
      before = at;
      look(at - 1);
      look(at + 1);
    }
    double step = at;
    if (at > 0 && at < kSteps) {
      const double left = gap(at - 1, at, of), right = gap(at + 1, at, of);
      if (left > 0 && right > 0) step += 0.5 * (left - right) / (left + right);
    }
    Bandwidth out;
    out.value = bandwidth_of(std::floor(step * kFineOfStep + 0.5) / kFineOfStep);
    out.objective = (*errors_[at]).*of;
    if (at == 0 && gap(kHalfDecade, at, of) > kEvidence) out.bound = Bandwidth::Bound::lower;
    if (at == kSteps && gap(kSteps - kHalfDecade, at, of) > kEvidence) out.bound = Bandwidth::Bound::upper;
    return out;
  }

 private:
  void look(int i) {
    if (i >= 0 && i <= kSteps && !errors_[i]) errors_[i] = errors_at(votes_, used_, kernel_of_step(i));
  }
  // How much worse step i is than step j, in nats.
  double gap(int i, int j, double VoteErrors::*of) {
    look(i);
    const double e = (*errors_[j]).*of, more = (*errors_[i]).*of - e;
    return more == 0 ? 0 : 0.5 * votes_.votes * more / e;
  }
  int best(double VoteErrors::*of) {
    int least = 0;
    for (int i = 1; i <= kSteps; ++i)
      if (errors_[i] && (*errors_[i]).*of <= (*errors_[least]).*of) least = i;
    for (int i = kSteps; i > least; --i)
      if (errors_[i] && gap(i, least, of) < kNoEvidence) return i;
    return least;
  }
  const VoteBins& votes_;
  std::span<const std::size_t> used_;
  std::array<std::optional<VoteErrors>, kSteps + 1> errors_;
};

}  // namespace

VoteErrors vote_errors(const ForecastsView& f, double bandwidth, int threads) {
  const VoteBins votes = vote_bins(f, threads);
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::size_t> used = used_bins(votes);
  return can_predict(votes, used) ? errors_at(votes, used, BinKernel(bandwidth)) : VoteErrors{kNone, kNone};
}

static VoteBandwidths best_bandwidths(const VoteBins& votes) {
  const std::vector<std::size_t> used = used_bins(votes);
  if (!can_predict(votes, used)) {
    Bandwidth one;
    one.why =
        "the forecasts do not have two different probabilities of which at least one is neither 0 nor 1";
    return {one, one};
  }
  Search search(votes, used);
  return {search.least(&VoteErrors::by_vote), search.least(&VoteErrors::by_p)};
}

VoteBandwidths vote_bandwidths(const ForecastsView& f, int threads) {
  return best_bandwidths(vote_bins(f, threads));
}

VoteBandwidths vote_bandwidths(const ItemKinds& kinds) { return best_bandwidths(vote_bins(kinds)); }

}  // namespace plumb
