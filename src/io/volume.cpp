#include "plumb/io/volume.hpp"

#include <algorithm>

#include "io/text.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/mapped_file.hpp"

namespace plumb {
namespace {

Array c_order_of(Array a, bool first_axis_fastest) {
  if (first_axis_fastest) {
    std::reverse(a.shape.begin(), a.shape.end());
    std::reverse(a.strides.begin(), a.strides.end());
  }
  return a;
}

}  // namespace

Volume load_volume(const Source& source, int threads) {
  const std::string name = detail::lower(source.path);
  if (source.selection.empty() && (name.ends_with(".nii") || name.ends_with(".nii.gz"))) {
    const auto file = MappedFile::open(source.path);
    return parse_nifti(file->bytes(), file, source.path);
  }
  return {load_one(source, {.threads = threads}), std::nullopt};
}

bool first_axis_fastest(const Array& a) { return !a.is_contiguous() && c_order_of(a, true).is_contiguous(); }

Array flat_voxels(const Array& volume, bool first_axis_fastest) {
  Array a = c_order_of(volume, first_axis_fastest);
  const std::int64_t n = a.size();
  if (a.is_contiguous()) {
    a.shape = {n};
    a.strides = {dtype_size(a.dtype)};
    return a;
  }
  const Rows rows(a);
  std::vector<double> values(n);
  rows.read(0, rows.rows(), values);
  return array_of(std::move(values), {n}, volume.name);
}

std::string show_voxel(std::int64_t i, std::span<const std::int64_t> shape, bool first_axis_fastest) {
  std::vector<std::string> at(shape.size());
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const std::size_t axis = first_axis_fastest ? k : shape.size() - 1 - k;
    at[axis] = std::to_string(i % shape[axis]);
    i /= shape[axis];
  }
  return "(" + separated(at) + ")";
}

}  // namespace plumb
