#include "plumb/metrics/kernel/ece_kde_canonical.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "metrics/kernel/simplex_kernels.hpp"
#include "plumb/metrics/kernel/beta_kernel.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb {
namespace {

constexpr std::size_t kTile = 512;     // sources in cache at a time
constexpr std::int64_t kTargets = 16;  // targets of one parallel block
constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr double kNegligible = 80.0;  // a tile this many e-folds below the largest term is passed over

struct Vote {
  std::uint32_t cls;
  double count;
};

// Items of positive mass in an order of their own (by probabilities, then votes, then weight), so that sums
// taken along it do not depend on the order of the rows.
class Sources {
 public:
  Sources(const SimplexView& f, double h) : f_(&f), classes_(static_cast<std::size_t>(f.classes)) {
    collect();
    sort();
    lay_out(1.0 / h);
  }

  [[nodiscard]] std::size_t size() const { return row_.size(); }
  [[nodiscard]] std::size_t classes() const { return classes_; }
  [[nodiscard]] const double* z(std::size_t i) const { return f_->z.data() + row_[i] * classes_; }
  [[nodiscard]] std::span<const Vote> votes(std::size_t i) const { return votes_of(row_[i]); }
  [[nodiscard]] double weight(std::size_t i) const { return weight_[row_[i]]; }
  [[nodiscard]] double trials(std::size_t i) const { return trials_[row_[i]]; }
  [[nodiscard]] double log_mass(std::size_t i) const { return log_mass_[i]; }
  [[nodiscard]] const double* tile(std::size_t first) const { return tiles_.data() + first * classes_; }
  [[nodiscard]] const double* bias(std::size_t first) const { return bias_.data() + first; }

 private:
  [[nodiscard]] std::span<const Vote> votes_of(std::size_t row) const {
    return {votes_.data() + begin_[row], begin_[row + 1] - begin_[row]};
  }
  void collect();
  void sort();
  void lay_out(double n);

  const SimplexView* f_;
  std::size_t classes_;
  std::vector<Vote> votes_;              // by row
  std::vector<std::size_t> begin_;       // by row
  std::vector<double> weight_, trials_;  // by row
  std::vector<std::size_t> row_;         // by place in the order
  std::vector<double> tiles_;            // [tile][class][place in tile]: z / h
  std::vector<double> bias_;             // log mass less the log of the kernel's normaliser
  std::vector<double> log_mass_;
};

void Sources::collect() {
  const auto items = static_cast<std::size_t>(f_->items);
  begin_.push_back(0);
  for (std::size_t i = 0; i < items; ++i) {
    double w = f_->weight.empty() ? 1.0 : f_->weight[i];
    if (!f_->times.empty()) w *= static_cast<double>(f_->times[i]);
    double n = 0;
    if (f_->offset.empty()) {
      votes_.push_back({f_->cls[i], 1.0});
      n = 1.0;
    } else {
      for (std::size_t e = f_->offset[i]; e < f_->offset[i + 1]; ++e) {
        votes_.push_back({f_->cls[e], f_->count[e]});
        n += f_->count[e];
      }
    }
    begin_.push_back(votes_.size());
    weight_.push_back(w);
    trials_.push_back(n);
    if (w * n > 0.0) row_.push_back(i);
  }
}

void Sources::sort() {
  const auto before = [&](std::size_t a, std::size_t b) {
    const double* za = f_->z.data() + a * classes_;
    const double* zb = f_->z.data() + b * classes_;
    const auto [x, y] = std::mismatch(za, za + classes_, zb);
    if (x != za + classes_) return *x < *y;
    const auto va = votes_of(a), vb = votes_of(b);
    if (va.size() != vb.size()) return va.size() < vb.size();
    for (std::size_t e = 0; e < va.size(); ++e) {
      if (va[e].cls != vb[e].cls) return va[e].cls < vb[e].cls;
      if (va[e].count != vb[e].count) return va[e].count < vb[e].count;
    }
    return weight_[a] < weight_[b];
  };
  std::sort(row_.begin(), row_.end(), before);
}

void Sources::lay_out(double n) {
  const std::size_t padded = (size() + kTile - 1) / kTile * kTile;
  tiles_.assign(padded * classes_, 0.0);
  bias_.assign(padded, kNever);
  log_mass_.resize(size());
  for (std::size_t i = 0; i < size(); ++i) {
    const double* row = z(i);
    double* at = tiles_.data() + (i - i % kTile) * classes_ + i % kTile;
    double log_gammas = 0, sum = 0;  // of alpha_k + 1
    for (std::size_t k = 0; k < classes_; ++k) {
      const double alpha = row[k] * n;
      at[k * kTile] = alpha;
      sum += alpha;
      if (alpha > 0.0) log_gammas += stirling_rest(alpha) + alpha * log_portable(alpha) - alpha;
    }
    const double top = sum + static_cast<double>(classes_) - 1.0;  // log Gamma(sum alpha_k + K)
    log_mass_[i] = log_portable(weight(i) * trials(i));
    bias_[i] = log_mass_[i] + (stirling_rest(top) + top * log_portable(top) - top) - log_gammas;
  }
}

// E[y | z_i] for one target at a time.
class Target {
 public:
  Target(const Sources& s, LeaveOut leave_out)
      : s_(&s), leave_out_(leave_out), log_x_(s.classes()), hits_(s.classes()), buffer_(kTile) {}

  void add_gaps(std::size_t i, ExactSum& gap, ExactSum& mass);

 private:
  void take_logs(std::size_t i);
  [[nodiscard]] double least_vanishing(std::size_t i) const;
  [[nodiscard]] double vanishing(std::size_t j) const;
  void sum_others(std::size_t i);
  void rescale(double top);

  const Sources* s_;
  LeaveOut leave_out_;
  std::vector<double> log_x_;      // 0 where x is 0
  std::vector<std::size_t> zero_;  // classes where x is 0
  std::vector<double> hits_;       // by class, in units of exp(top_)
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
  if (leave_out_ == LeaveOut::kVote && s_->trials(i) > 1.0) return 0.0;  // the item's other votes
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
  for (std::size_t first = 0; first < s_->size(); first += kTile) {
    const std::size_t n = std::min(kTile, s_->size() - first);
    double most = dirichlet_logits(s_->tile(first), kTile, log_x_.data(), s_->classes(), s_->bias(first), n,
                                   buffer_.data());
    if (most < top_ - kNegligible) continue;
    const bool own = i >= first && i < first + n;
    if (own) buffer_[i - first] = kNever;
    if (!zero_.empty()) {
      for (std::size_t j = 0; j < n; ++j) {
        if (vanishing(first + j) > least) buffer_[j] = kNever;
      }
    }
    if (own || !zero_.empty())
      most = *std::max_element(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(n));
    if (most == kNever) continue;
    rescale(most);
    subtract_from(buffer_.data(), n, top_);
    exp_block({buffer_.data(), n}, {buffer_.data(), n});
    for (std::size_t j = 0; j < n; ++j) {
      const std::span<const Vote> votes = s_->votes(first + j);
      if (votes.size() == 1) {
        hits_[votes[0].cls] += buffer_[j];
      } else {
        const double each = buffer_[j] / s_->trials(first + j);
        for (const Vote& v : votes) hits_[v.cls] += each * v.count;
      }
    }
  }
}

void Target::add_gaps(std::size_t i, ExactSum& gap, ExactSum& mass) {
  take_logs(i);
  std::fill(hits_.begin(), hits_.end(), 0.0);
  top_ = kNever;
  sum_others(i);
  const std::span<const Vote> votes = s_->votes(i);
  const bool others_of_item = leave_out_ == LeaveOut::kVote && s_->trials(i) > 1.0;
  double own = 0;  // the kernel at the item itself, times its weight
  if (others_of_item) {
    double log_own = *s_->bias(i) - s_->log_mass(i);
    for (std::size_t k = 0; k < s_->classes(); ++k) {
      log_own += s_->tile(i - i % kTile)[k * kTile + i % kTile] * log_x_[k];
    }
    rescale(log_own);
    own = exp_portable(log_own - top_) * s_->weight(i);
  }
  double total = 0;
  for (const double h : hits_) total += h;
  for (const Vote& left_out : votes) {
    // Votes of one class leave the same behind; with the whole item left out all votes do.
    double rest = total;
    if (others_of_item) rest += own * (s_->trials(i) - 1.0);
    if (!(rest > 0.0)) return;
    double distance = 0;
    for (std::size_t k = 0; k < s_->classes(); ++k) {
      double h = hits_[k];
      if (others_of_item) {
        for (const Vote& v : votes) {
          if (v.cls == k) h += own * (v.count - (v.cls == left_out.cls ? 1.0 : 0.0));
        }
      }
      distance += std::abs(h / rest - s_->z(i)[k]);
    }
    const double m = s_->weight(i) * left_out.count;
    gap.add(m * distance);
    mass.add(m);
  }
}

}  // namespace

Estimate ece_kde_canonical(const SimplexView& f, double bandwidth, LeaveOut leave_out, int threads) {
  check_bandwidth(bandwidth);
  const Sources sources(f, bandwidth);
  if (sources.size() == 0) return Estimate::undefined(std::string(kNoVotes));
  struct Sums {
    ExactSum gap, mass;
  };
  const Sums sums = parallel_reduce_blocks(
      static_cast<std::int64_t>(sources.size()), kTargets, threads, Sums{},
      [&](Sums& s, std::int64_t begin, std::int64_t end) {
        Target target(sources, leave_out);
        for (std::int64_t i = begin; i < end; ++i)
          target.add_gaps(static_cast<std::size_t>(i), s.gap, s.mass);
      },
      [](Sums& into, const Sums& from) {
        into.gap.merge(from.gap);
        into.mass.merge(from.mass);
      });
  if (sums.mass.is_zero()) return Estimate::undefined("leaving out a vote leaves no votes to estimate from");
  return sums.gap.value() / sums.mass.value();
}

}  // namespace plumb
