#include "raters/questions.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb::detail {
namespace {

/// x log2 x, 0 at 0.
double x_log_x(double x) { return x > 0 ? x * log_portable(x) / std::numbers::ln2 : 0; }

/// Confusion matrix of an average rater: expected votes of all raters together.
std::vector<double> average_confusion(const DawidSkene& fit) {
  const std::int64_t k = fit.classes;
  std::vector<double> out(k * k);
  for (std::int64_t c = 0; c < k; ++c) {
    double seen = 0;
    for (std::int64_t r = 0; r < fit.raters; ++r) {
      const double n = fit.seen[r * k + c];
      seen += n;
      for (std::int64_t y = 0; y < k; ++y) out[c * k + y] += n * fit.confusion[(r * k + c) * k + y];
    }
    for (std::int64_t y = 0; y < k; ++y) out[c * k + y] = seen > 0 ? out[c * k + y] / seen : 1.0 / k;
  }
  return out;
}

/// Mutual information of the true class and the next vote: entropy of the vote less its entropy given
/// the class.
class Gain {
 public:
  explicit Gain(std::vector<double> confusion, std::int64_t classes)
      : classes_(classes), confusion_(std::move(confusion)), known_(classes) {
    for (std::int64_t c = 0; c < classes; ++c)
      for (std::int64_t y = 0; y < classes; ++y) known_[c] += x_log_x(confusion_[c * classes + y]);
  }
  [[nodiscard]] double operator()(const double* q) const {
    double out = 0;
    for (std::int64_t c = 0; c < classes_; ++c) out += q[c] * known_[c];
    for (std::int64_t y = 0; y < classes_; ++y) {
      double chance = 0;
      for (std::int64_t c = 0; c < classes_; ++c) chance += q[c] * confusion_[c * classes_ + y];
      out -= x_log_x(chance);
    }
    return std::max(0.0, out);
  }

 private:
  std::int64_t classes_;
  std::vector<double> confusion_, known_;
};

}  // namespace

std::vector<AskRow> items_to_ask(const DawidSkene& fit, const AllVotes& votes,
                                 const std::vector<double>& consensus, int most, int threads) {
  const std::int64_t k = fit.classes, n = std::ssize(consensus) / k;
  const Gain gain(average_confusion(fit), k);
  std::vector<double> gains(n);
  parallel_blocks(n, 4096, threads, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) gains[i] = gain(consensus.data() + i * k);
  });
  std::vector<std::int64_t> rows(n);
  for (std::int64_t i = 0; i < n; ++i) rows[i] = i;
  const auto end = rows.begin() + std::min<std::int64_t>(most, n);
  std::partial_sort(rows.begin(), end, rows.end(), [&](std::int64_t a, std::int64_t b) {
    return gains[a] != gains[b] ? gains[a] > gains[b] : a < b;
  });
  std::vector<AskRow> out;
  for (auto row = rows.begin(); row != end; ++row) {
    const double* q = consensus.data() + *row * k;
    const double* top = std::max_element(q, q + k);
    const auto& offset = votes.judgements.offset;
    out.push_back({*row, offset[*row + 1] - offset[*row], narrow<int>(top - q), *top, gains[*row]});
  }
  return out;
}

void add_precision(const AllVotes& votes, double target_se, RatersResult& out) {
  const VoteBlock& b = votes.block;
  std::vector<ExactSum> within(votes.classes);
  std::int64_t several = 0;
  for (std::int64_t i = 0; i < b.size && !b.single; ++i) {
    const double n = b.total[i];
    if (n < 2) continue;
    ++several;
    for (std::uint32_t e = b.offset[i]; e < b.offset[i + 1]; ++e)
      if (b.count[e] < b.total[i]) within[b.cls[e]].add(b.count[e] * (n - b.count[e]) / (n * (n - 1)));
  }
  if (several == 0) return;
  for (int k = 0; k < votes.classes; ++k) {
    const double variance = within[k].value() / several;
    if (out.within && variance <= *out.within) continue;
    out.within = variance;
    out.within_class = k;
  }
  if (target_se > 0)
    out.needed = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(std::ceil(*out.within / (target_se * target_se) - 1e-9)));
}

}  // namespace plumb::detail
