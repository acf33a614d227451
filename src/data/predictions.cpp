#include "plumb/data/predictions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/shared/block_kernels.hpp"
#include "data/shared/complaints.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/elementary.hpp"

namespace plumb {
namespace {

/// Widens rows [begin, end) into `out`; false when a value is NaN or outside [0, high].
bool load_checked(const Rows& rows, std::int64_t begin, std::int64_t end, double high,
                  std::span<double> out) {
  const auto n = std::ssize(out);
  if (const float* f = rows.contiguous<float>(begin, end))
    return detail::copy_checked(f, n, high, out.data());
  if (const double* x = rows.contiguous<double>(begin, end))
    return detail::copy_checked(x, n, high, out.data());
  rows.read(begin, end, out);
  return detail::copy_checked(out.data(), n, high, out.data());
}

bool near_one(double sum) { return std::fabs(sum - 1) <= kSumTolerance; }
bool can_rescale(double sum) { return sum > 0 && sum <= std::numeric_limits<double>::max(); }

/// P(class 1) of pairs (z_0, z_1); false when a row's sum is wrong.
bool second_of_pairs(std::span<const double> pairs, bool normalize, std::span<double> z) {
  bool good = true;
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double sum = pairs[2 * i] + pairs[2 * i + 1];
    good &= normalize ? can_rescale(sum) : near_one(sum);
    z[i] = normalize ? pairs[2 * i + 1] / sum : pairs[2 * i + 1];
  }
  return good;
}

void check_source(const Rows& rows, Scale scale) {
  if (rows.empty()) throw InputError("no predictions given; use ⟦probs⟧ or ⟦logits⟧");
  if (rows.is_text()) {
    throw InputError(fmt::format("{} holds text; {} must be numbers", rows.name(),
                                 scale == Scale::logit ? "logits" : "probabilities"));
  }
  if (rows.rank() > 2) {
    throw InputError(fmt::format(
        "{}; predictions are N or N x K; name the axes of images with ⟦axes⟧, for example NHWK; for stacked samples use ⟦samples⟧ or ⟦sample_logits⟧",
        detail::shape_of(rows)));
  }
  if (rows.width() == 0)
    throw InputError(fmt::format("{}; at least one column is needed", detail::shape_of(rows)));
}

}  // namespace

Predictions::Predictions(std::vector<Rows> samples, Scale scale, PredictionOptions options)
    : samples_(std::move(samples)), scale_(scale), options_(options) {
  check_source(samples_.empty() ? Rows() : samples_.front(), scale);
  const Rows& first = samples_.front();
  for (const Rows& s : samples_) {
    check_source(s, scale);
    check_same_rows(first.name(), first.rows(), s.name(), s.rows());
    if (s.width() != first.width()) {
      throw InputError(fmt::format("{} has {} but {} has {}; samples must agree in shape", first.name(),
                                   counted(first.width(), "column"), s.name(), counted(s.width(), "column")));
    }
  }
  constexpr std::int64_t kMostClasses = 10'000'000;
  if (first.width() > kMostClasses)
    throw InputError(fmt::format("{} has {} columns; there can be at most {} classes", first.name(),
                                 first.width(), kMostClasses));
  items_ = first.rows();
  classes_ = first.width() == 1 ? 2 : narrow<int>(first.width());
}

void Predictions::read_probabilities(const Rows& rows, std::int64_t begin, std::int64_t end,
                                     std::span<double> z, std::vector<double>& sums) const {
  const std::int64_t width = rows.width();
  const bool rescale = options_.normalize && width > 1;
  const double high = rescale ? std::numeric_limits<double>::max() : 1.0;
  bool good = false;
  if (width == 1) {
    good = load_checked(rows, begin, end, high, z);
  } else if (width == 2) {
    sums.resize(2 * z.size());
    good = load_checked(rows, begin, end, high, sums) && second_of_pairs(sums, rescale, z);
  } else {
    sums.resize(z.size() / width);
    good = load_checked(rows, begin, end, high, z);
    detail::row_sums(z.data(), end - begin, rows.width(), sums.data());
    for (const double s : sums) good &= rescale ? can_rescale(s) : near_one(s);
  }
  if (!good) detail::refuse_probabilities(rows, begin, end, options_.normalize);
  if (!rescale || width == 2) return;
  for (std::size_t i = 0; i < sums.size(); ++i)
    for (double& x : z.subspan(i * width, width)) x /= sums[i];
}

void Predictions::read_logits(const Rows& rows, std::int64_t begin, std::int64_t end, std::span<double> z,
                              std::vector<double>& pairs) const {
  const std::int64_t width = rows.width();
  if (width == 2) pairs.resize(2 * z.size());
  const std::span<double> u = width == 2 ? std::span<double>(pairs) : z;
  rows.read(begin, end, u);
  if (!detail::all_finite(u.data(), std::ssize(u))) detail::refuse_logits(rows, begin, end);
  if (width > 2) {
    for (std::int64_t i = 0; i < std::ssize(z); i += width) softmax_row(z.subspan(i, width));
    return;
  }
  // The softmax of two logits is the logistic function of their difference.
  if (width == 2) {
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = pairs[2 * i + 1] - pairs[2 * i];
  }
  logistic_block(z, z);
}

void Predictions::read_source(const Rows& rows, std::int64_t begin, std::int64_t end, std::span<double> z,
                              std::vector<double>& scratch) const {
  if (scale_ == Scale::probability) {
    read_probabilities(rows, begin, end, z, scratch);
  } else {
    read_logits(rows, begin, end, z, scratch);
  }
}

void Predictions::read_sample(int sample, std::int64_t begin, std::int64_t end, PredictionBlock& out) const {
  out.size = end - begin;
  out.width = width();
  out.z.resize(out.size * out.width);
  read_source(samples_.at(sample), begin, end, out.z, out.sums);
}

void Predictions::read(std::int64_t begin, std::int64_t end, PredictionBlock& out) const {
  read_sample(0, begin, end, out);
  if (samples() == 1) return;
  out.sample.resize(out.z.size());
  for (std::size_t s = 1; s < samples_.size(); ++s) {
    read_source(samples_[s], begin, end, out.sample, out.sums);
    for (std::size_t i = 0; i < out.z.size(); ++i) out.z[i] += out.sample[i];
  }
  for (double& x : out.z) x /= samples();
}

Predictions Predictions::gather(std::span<const std::int64_t> rows) const {
  if (samples_.empty()) return {};
  std::vector<Rows> picked;
  picked.reserve(samples_.size());
  for (const Rows& s : samples_) picked.push_back(s.gather(rows));
  return {std::move(picked), scale_, options_};
}

std::vector<Rows> split_samples(const Rows& stacked) {
  std::vector<Rows> samples;
  for (const Array& a : stacked.shards()) {
    if (a.dtype == DType::text)
      throw InputError(fmt::format("{} holds text; samples must be numbers", a.name));
    if (a.shape.size() < 2 || a.shape.size() > 3) {
      throw InputError(
          fmt::format("{} is {}; stacked samples are S x N or S x N x K", a.name, show_shape(a.shape)));
    }
    for (std::int64_t s = 0; s < a.shape[0]; ++s) {
      Array one = a;
      one.shape.erase(one.shape.begin());
      one.strides.erase(one.strides.begin());
      if (a.size() > 0) one.data += s * a.strides[0];
      one.name = fmt::format("{}[{}]", a.name, s);
      one.first_row = 0;  // its rows are not lines of a text file
      samples.emplace_back(std::move(one));
    }
  }
  return samples;
}

int argmax(std::span<const double> row) {
  return narrow<int>(std::max_element(row.begin(), row.end()) - row.begin());
}

void top_labels(const PredictionBlock& block, std::int64_t first, std::span<double> p,
                std::span<std::uint32_t> label) {
  const auto rows = std::span(block.z).subspan(first * block.width, p.size() * block.width);
  if (block.width > 1) {
    detail::row_tops(rows.data(), std::ssize(p), block.width, p.data(), label.data());
    return;
  }
  for (std::size_t i = 0; i < p.size(); ++i) {
    p[i] = std::max(rows[i], 1.0 - rows[i]);
    label[i] = rows[i] > 0.5 ? 1 : 0;
  }
}

bool logits_look_like_probabilities(const Predictions& predictions) {
  if (predictions.scale() != Scale::logit || predictions.items() == 0) return false;
  const Rows& rows = predictions.sources().front();
  const std::int64_t width = rows.width(), n = std::min<std::int64_t>(rows.rows(), 1000);
  if (width < 2) return false;  // log-odds of one class may well lie between 0 and 1
  std::vector<double> u(n * width);
  rows.read(0, n, u);
  for (std::int64_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::int64_t k = 0; k < width; ++k) {
      const double x = u[i * width + k];
      if (!(x >= 0 && x <= 1)) return false;
      sum += x;
    }
    if (std::abs(sum - 1) > kSumTolerance) return false;
  }
  return true;
}

}  // namespace plumb
