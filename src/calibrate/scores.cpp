#include "plumb/calibrate/scores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plumb/data/check.hpp"
#include "plumb/numeric/elementary.hpp"

namespace plumb {
namespace {

void refuse_huge(const Rows& rows, std::int64_t begin, std::span<const double> u) {
  const auto at = std::find_if(u.begin(), u.end(), [](double x) { return std::fabs(x) > kLargestLogit; });
  if (at == u.end()) return;
  const std::int64_t i = at - u.begin(), width = rows.width();
  throw InputError(fmt::format("{}{} is {}; a logit to calibrate must be between -1e30 and 1e30",
                               rows.where(begin + i / width),
                               width == 1 ? "" : fmt::format(", column {}", i % width), show(*at)));
}

void read_logits(const Predictions& predictions, std::int64_t begin, std::int64_t end, ScoreBlock& out) {
  const Rows& rows = predictions.sources().front();
  const bool pairs = rows.width() == 2;
  std::vector<double>& raw = pairs ? out.z.sums : out.u;
  raw.resize((end - begin) * rows.width());
  rows.read(begin, end, raw);
  bool fine = true;
  for (const double x : raw) fine &= std::fabs(x) <= kLargestLogit;
  if (!fine) {
    PredictionBlock checked;
    predictions.read(begin, end, checked);  // says where a logit is not finite
    refuse_huge(rows, begin, raw);
  }
  if (!pairs) return;
  out.u.resize(raw.size() / 2);
  for (std::int64_t i = 0; i < std::ssize(out.u); ++i) out.u[i] = raw[2 * i + 1] - raw[2 * i];
}

}  // namespace

void read_scores(const Predictions& predictions, std::int64_t begin, std::int64_t end, ScoreBlock& out) {
  out.size = end - begin;
  out.width = predictions.width();
  out.clipped = 0;
  if (gives_logits(predictions)) return read_logits(predictions, begin, end, out);
  predictions.read(begin, end, out.z);
  out.u.resize(out.z.z.size());
  out.clipped = scores_of(out.z.z, out.width, out.u);
}

std::int64_t scores_of(std::span<const double> z, int width, std::span<double> u) {
  std::int64_t clipped = 0;
  if (width > 1) {
    for (std::int64_t i = 0; i < std::ssize(z); ++i) {
      clipped += z[i] < kScoreClip ? 1 : 0;
      u[i] = std::max(z[i], kScoreClip);
    }
    log_block(u, u);
    return clipped;
  }
  constexpr double kTop = 1.0 - kScoreClip;
  constexpr std::int64_t kPart = 256;  // both logarithms of a part stay on the stack
  double one[kPart];
  for (std::int64_t at = 0; at < std::ssize(z); at += kPart) {
    const std::int64_t n = std::min(kPart, std::ssize(z) - at);
    for (std::int64_t i = 0; i < n; ++i) {
      const double p = z[at + i];
      clipped += p < kScoreClip || p > kTop ? 1 : 0;
      one[i] = std::clamp(p, kScoreClip, kTop);
      u[at + i] = 1.0 - one[i];
    }
    const std::span<double> p(one, n);
    const std::span<double> q = u.subspan(at, n);
    log_block(p, p);
    log_block(q, q);
    for (std::int64_t i = 0; i < n; ++i) q[i] = p[i] - q[i];
  }
  return clipped;
}

void probabilities_of(std::span<const double> u, int width, std::span<double> z) {
  if (width == 1) return logistic_block(u, z);
  if (z.data() != u.data()) std::copy(u.begin(), u.end(), z.begin());
  const std::int64_t k = width;
  for (std::int64_t i = 0; i < std::ssize(z); i += k) softmax_row(z.subspan(i, k));
}

}  // namespace plumb
