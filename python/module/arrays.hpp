// Numbers on their way out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace plumb::python {

namespace nb = nanobind;

/// A numpy array that owns the numbers.
template <class T>
nb::object numpy_array(std::vector<T> values, const std::vector<std::int64_t>& shape) {
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  T* const first = kept->data();
  const nb::capsule owner(kept.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  const std::vector<std::size_t> extents(shape.begin(), shape.end());
  return nb::cast(nb::ndarray<nb::numpy, T>(first, extents.size(), extents.data(), owner));
}

}  // namespace plumb::python
