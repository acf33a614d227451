#include "plumb/metrics/kernel/ece_kde_canonical.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "metrics/kernel/simplex_kernels.hpp"
#include "metrics/kernel/simplex_sources.hpp"
#include "plumb/metrics/kernel/beta_kernel.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb {
namespace {

using detail::kSimplexTile;
using detail::SimplexRun;
using detail::SimplexSources;
using detail::SimplexVote;

constexpr std::int64_t kTargets = 16;  // targets of one parallel block
constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr double kNegligible = 80.0;  // a tile this many e-folds below the largest term is passed over

// Four interleaved sums: short chains of additions, in a fixed order.
double sum_of(const double* x, std::size_t n) {
  double s[4] = {};
  std::size_t j = 0;
  for (; j + 4 <= n; j += 4) {
    for (std::size_t l = 0; l < 4; ++l) s[l] += x[j + l];
  }
  for (; j < n; ++j) s[j % 4] += x[j];
  return (s[0] + s[2]) + (s[1] + s[3]);
}

// E[y | z_i] for one target at a time.
class Target {
 public:
  Target(const SimplexSources& s, LeaveOut leave_out)
      : s_(&s), leave_out_(leave_out), log_x_(s.classes()), hits_(s.classes()), buffer_(kSimplexTile) {}

  void add_gaps(std::size_t i, ExactSum& gap, ExactSum& mass);

 private:
  void take_logs(std::size_t i);
  [[nodiscard]] double least_vanishing(std::size_t i) const;
  [[nodiscard]] double vanishing(std::size_t j) const;
  void sum_others(std::size_t i);
  void rescale(double top);

  const SimplexSources* s_;
  LeaveOut leave_out_;
  std::vector<double> log_x_;      // 0 where x is 0
  std::vector<std::size_t> zero_;  // classes where x is 0
  std::vector<double> hits_;       // by class, in units of exp(top_)
  std::vector<double> expected_;
  std::vector<double> buffer_;
  double top_ = kNever;
};

void Target::take_logs(std::size_t i) {
  zero_.clear();
  for (std::size_t k = 0; k < s_->classes(); ++k) {
    const double x = s_->z(i)[k];
    if (x == 0.0) zero_.push_back(k);
    log_x_[k] = x == 0.0 ? 0.0 : log_portable(x);
  }
}

// As the zero components of x vanish together like e, the kernel of source j falls like e^(their share of z_j
// / h).
double Target::vanishing(std::size_t j) const {
  double share = 0;
  for (const std::size_t k : zero_) share += s_->z(j)[k];
  return share;
}

double Target::least_vanishing(std::size_t i) const {
  if (leave_out_ == LeaveOut::vote && s_->several(i)) return 0.0;  // the item's other votes
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < s_->size() && least > 0.0; ++j) {
    if (j != i) least = std::min(least, vanishing(j));
  }
  return least;
}

void Target::rescale(double top) {
  if (!(top > top_)) return;
  const double factor = exp_portable(top_ - top);
  for (double& h : hits_) h *= factor;
  top_ = top;
}

void Target::sum_others(std::size_t i) {
  const double least = zero_.empty() ? 0.0 : least_vanishing(i);
  for (std::size_t first = 0; first < s_->size(); first += kSimplexTile) {
    const std::size_t n = std::min(kSimplexTile, s_->size() - first);
    double most = detail::dirichlet_logits(s_->tile(first), kSimplexTile, log_x_.data(), s_->classes(),
                                           s_->bias(first), n, buffer_.data());
    if (most < top_ - kNegligible) continue;
    const bool own = i >= first && i < first + n;
    if (own) buffer_[i - first] = kNever;
    if (!zero_.empty()) {
      for (std::size_t j = 0; j < n; ++j) {
        if (vanishing(first + j) > least) buffer_[j] = kNever;
      }
    }
    if (own || !zero_.empty()) most = *std::max_element(buffer_.begin(), buffer_.begin() + n);
    if (most == kNever) continue;
    rescale(most);
    detail::subtract_from(buffer_.data(), n, top_);
    exp_block({buffer_.data(), n}, {buffer_.data(), n});
    for (const SimplexRun& run : s_->runs(first)) {
      const double* kernel = buffer_.data() + (run.begin - first);
      if (run.single) {
        hits_[run.cls] += sum_of(kernel, run.end - run.begin);
      } else {
        const double each = *kernel / s_->trials(run.begin);
        for (const SimplexVote& v : s_->votes(run.begin)) hits_[v.cls] += each * v.count;
      }
    }
  }
}

void Target::add_gaps(std::size_t i, ExactSum& gap, ExactSum& mass) {
  take_logs(i);
  std::fill(hits_.begin(), hits_.end(), 0.0);
  top_ = kNever;
  sum_others(i);
  const std::span<const SimplexVote> votes = s_->votes(i);
  const bool others_of_item = leave_out_ == LeaveOut::vote && s_->several(i);
  double own = 0;  // the kernel at the item itself, times its weight
  if (others_of_item) {
    double log_own = *s_->bias(i) - s_->log_mass(i);
    for (std::size_t k = 0; k < s_->classes(); ++k)
      log_own += s_->tile(i - i % kSimplexTile)[k * kSimplexTile + i % kSimplexTile] * log_x_[k];
    rescale(log_own);
    own = exp_portable(log_own - top_) * s_->weight(i);
  }
  const double n = s_->trials(i);
  double rest = others_of_item ? own * (n - 1.0) : 0.0;
  for (const double h : hits_) rest += h;
  if (!(rest > 0.0)) return;
  // own_hits(v): what the item's votes give to their class when the kind of vote at hand is left out.
  const auto add = [&](double m, auto own_hits) {
    expected_ = hits_;
    if (others_of_item) {
      for (const SimplexVote& v : votes) expected_[v.cls] += own * own_hits(v);
    }
    double distance = 0;
    for (std::size_t k = 0; k < s_->classes(); ++k) distance += std::abs(expected_[k] / rest - s_->z(i)[k]);
    gap.add(m * distance);
    mass.add(m);
  };
  if (!others_of_item || !s_->whole_counts()) {
    add(s_->weight(i) * n, [&](const SimplexVote& v) { return v.count * ((n - 1.0) / n); });
    return;
  }
  for (const SimplexVote& out : votes) {
    add(s_->weight(i) * out.count,
        [&](const SimplexVote& v) { return v.cls == out.cls ? v.count - 1.0 : v.count; });
  }
}

}  // namespace

Estimate ece_kde_canonical(const SimplexView& f, double bandwidth, LeaveOut leave_out, int threads) {
  check_bandwidth(bandwidth);
  const SimplexSources sources(f, bandwidth);
  if (sources.size() == 0) return Estimate::undefined(kNoVotes);
  struct Sums {
    ExactSum gap, mass;
  };
  const Sums sums = parallel_reduce_blocks(
      std::ssize(sources), kTargets, threads, Sums{},
      [&](Sums& s, std::int64_t begin, std::int64_t end) {
        Target target(sources, leave_out);
        for (std::int64_t i = begin; i < end; ++i) target.add_gaps(i, s.gap, s.mass);
      },
      [](Sums& into, const Sums& from) {
        into.gap.merge(from.gap);
        into.mass.merge(from.mass);
      });
  if (sums.mass.is_zero()) return Estimate::undefined("leaving out a vote leaves no votes to estimate from");
  return sums.gap.value() / sums.mass.value();
}

}  // namespace plumb
