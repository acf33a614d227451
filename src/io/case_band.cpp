#include "io/case_band.hpp"

#include <algorithm>
#include <cmath>

#include "plumb/data/check.hpp"
#include "plumb/numeric/distance.hpp"

namespace plumb::detail {
namespace {

constexpr int kMostStructures = 32;  // one bit each

/// Marks voxel i where a rater's class k ends between it and a neighbour.
std::vector<std::uint8_t> boundary_of(std::span<const std::int32_t> ratings, std::int32_t k,
                                      std::int64_t raters, std::span<const std::int64_t> shape) {
  const std::int64_t voxels = std::ssize(ratings) / raters;
  std::vector<std::uint8_t> out(voxels);
  std::int64_t stride = 1;
  for (const std::int64_t length : shape) {
    for (std::int64_t i = 0; i + stride < voxels; ++i) {
      if (i / stride % length == length - 1) continue;  // the last one on its line
      for (std::int64_t r = 0; r < raters; ++r) {
        const std::int32_t a = ratings[i * raters + r], b = ratings[(i + stride) * raters + r];
        if (a < 0 || b < 0 || (a == k) == (b == k)) continue;
        out[a == k ? i : i + stride] = 1;
      }
    }
    stride *= length;
  }
  return out;
}

}  // namespace

std::vector<double> voxel_spacing(const std::vector<double>& given, const std::optional<Affine>& affine,
                                  std::span<const std::int64_t> shape) {
  if (!given.empty()) {
    if (given.size() != shape.size())
      throw InputError("⟦spacing⟧ has " + counted(std::ssize(given), "number") + ", and the masks have " +
                       std::to_string(shape.size()) + " axes");
    return given;
  }
  if (!affine)
    throw InputError(
        "⟦band⟧ needs the size of a voxel, which these files do not contain; give it with ⟦spacing⟧, for example 1,1 (in mm, in the order of the axes)");
  std::vector<double> out(shape.size(), 1);
  for (std::size_t k = 0; k < std::min<std::size_t>(3, out.size()); ++k) {
    const Affine& a = *affine;
    out[k] = std::sqrt(a[k] * a[k] + a[4 + k] * a[4 + k] + a[8 + k] * a[8 + k]);
    if (!(out[k] > 0) || !std::isfinite(out[k]))
      throw InputError("the NIfTI header gives a voxel the size " + show(out[k]) + " along axis " +
                       std::to_string(k) + "; give the sizes with ⟦spacing⟧");
  }
  return out;
}

std::vector<std::uint32_t> boundary_bands(std::span<const std::int32_t> ratings, int classes,
                                          std::span<const std::int64_t> shape,
                                          std::span<const double> spacing, double mm, int threads) {
  if (classes - 1 > kMostStructures)
    throw InputError("⟦band⟧ takes at most 32 structures besides the background, and there are " +
                     std::to_string(classes - 1));
  std::int64_t voxels = 1;
  for (const std::int64_t n : shape) voxels *= n;
  std::vector<std::uint32_t> out(voxels);
  constexpr double kRounding = 1 + 1e-9;  // 3 x 0.7 mm are within 2.1 mm
  const double most = mm * mm * kRounding;
  for (int k = 1; k < classes; ++k) {
    const std::vector<double> d = squared_distances(
        boundary_of(ratings, k, std::ssize(ratings) / voxels, shape), shape, spacing, threads);
    for (std::int64_t i = 0; i < voxels; ++i)
      if (d[i] <= most) out[i] |= std::uint32_t{1} << (k - 1);
  }
  return out;
}

}  // namespace plumb::detail
