#include "data/widen.hpp"

#include <algorithm>

namespace plumb::detail {
namespace {

template <class T, bool Swapped>
void widen_dense(const std::byte* from, std::int64_t n, double* out) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = load<T, Swapped>(from + i * sizeof(T));
}

/// Any strides. A tile of rows is filled column by column: in Fortran order the reads run along memory, and
/// the lines of `out` that a tile writes stay in cache until they are full.
template <class T, bool Swapped>
void widen_strided(const Array& a, std::int64_t begin, std::int64_t end, std::int64_t width, double* out) {
  constexpr std::int64_t kTile = 32;
  const std::size_t rank = a.shape.size();
  std::vector<std::int64_t> index(rank, 0);
  for (std::int64_t first = begin; first < end; first += kTile) {
    const std::int64_t rows = std::min(kTile, end - first);
    const std::byte* column = a.data + first * a.strides[0];
    std::fill(index.begin(), index.end(), 0);
    for (std::int64_t j = 0; j < width; ++j) {
      for (std::int64_t i = 0; i < rows; ++i)
        out[i * width + j] = load<T, Swapped>(column + i * a.strides[0]);
      for (std::size_t d = rank; d-- > 1;) {
        column += a.strides[d];
        if (++index[d] < a.shape[d]) break;
        column -= a.strides[d] * a.shape[d];
        index[d] = 0;
      }
    }
    out += rows * width;
  }
}

template <class T, bool Swapped>
void widen_as(const Array& a, std::int64_t begin, std::int64_t end, std::int64_t width, double* out) {
  if (a.is_contiguous()) {
    widen_dense<T, Swapped>(a.data + begin * width * sizeof(T), (end - begin) * width, out);
  } else {
    widen_strided<T, Swapped>(a, begin, end, width, out);
  }
}

}  // namespace

void widen_rows(const Array& a, std::int64_t begin, std::int64_t end, std::int64_t width, double* out) {
  with_stored_type(a.dtype, [&]<class T>(std::type_identity<T>) {
    if (a.swapped) {
      widen_as<T, true>(a, begin, end, width, out);
    } else {
      widen_as<T, false>(a, begin, end, width, out);
    }
  });
}

}  // namespace plumb::detail
