#include "metrics/kernel/simplex_sources.hpp"

#include <algorithm>
#include <limits>

#include "plumb/metrics/kernel/beta_kernel.hpp"
#include "plumb/numeric/elementary.hpp"

namespace plumb::detail {

SimplexSources::SimplexSources(const SimplexView& f, double bandwidth) : f_(&f), classes_(f.classes) {
  collect();
  sort();
  lay_out(1.0 / bandwidth);
}

void SimplexSources::collect() {
  begin_.push_back(0);
  for (std::int64_t i = 0; i < f_->items; ++i) {
    double w = f_->weight.empty() ? 1.0 : f_->weight[i];
    if (!f_->times.empty()) w *= f_->times[i];
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

void SimplexSources::sort() {
  const auto before = [&](std::size_t a, std::size_t b) {
    const auto va = votes_of(a), vb = votes_of(b);
    if (va.size() != vb.size()) return va.size() < vb.size();
    for (std::size_t e = 0; e < va.size(); ++e) {
      if (va[e].cls != vb[e].cls) return va[e].cls < vb[e].cls;
      if (va[e].count != vb[e].count) return va[e].count < vb[e].count;
    }
    const double* za = f_->z.data() + a * classes_;
    const double* zb = f_->z.data() + b * classes_;
    const auto [x, y] = std::mismatch(za, za + classes_, zb);
    if (x != za + classes_) return *x < *y;
    return weight_[a] < weight_[b];
  };
  std::sort(row_.begin(), row_.end(), before);
  for (std::size_t i = 0; i < size(); ++i) {
    if (i % kSimplexTile == 0) first_run_.push_back(run_.size());
    const std::span<const SimplexVote> v = votes(i);
    const bool joins =
        i % kSimplexTile != 0 && v.size() == 1 && run_.back().single && run_.back().cls == v[0].cls;
    if (joins) {
      run_.back().end = i + 1;
    } else {
      run_.push_back({i, i + 1, v[0].cls, v.size() == 1});
    }
  }
  first_run_.push_back(run_.size());
}

void SimplexSources::lay_out(double n) {
  const std::size_t padded = (size() + kSimplexTile - 1) / kSimplexTile * kSimplexTile;
  tiles_.assign(padded * classes_, 0.0);
  bias_.assign(padded, -std::numeric_limits<double>::infinity());
  log_mass_.resize(size());
  for (std::size_t i = 0; i < size(); ++i) {
    const double* row = z(i);
    double* at = tiles_.data() + (i - i % kSimplexTile) * classes_ + i % kSimplexTile;
    double log_gammas = 0, sum = 0;  // of alpha_k + 1
    for (std::size_t k = 0; k < classes_; ++k) {
      const double alpha = row[k] * n;
      at[k * kSimplexTile] = alpha;
      sum += alpha;
      if (alpha > 0.0) log_gammas += stirling_rest(alpha) + alpha * log_portable(alpha) - alpha;
    }
    const double top = sum + classes_ - 1.0;  // log Gamma(sum alpha_k + K)
    log_mass_[i] = log_portable(weight(i) * trials(i));
    bias_[i] = log_mass_[i] + (stirling_rest(top) + top * log_portable(top) - top) - log_gammas;
  }
}

}  // namespace plumb::detail
