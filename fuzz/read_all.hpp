// Touches every value, so that a view past its data is seen by the sanitizers.
#pragma once

#include <algorithm>
#include <vector>

#include "plumb/data/array.hpp"

namespace plumb {

inline void read_all(const Array& a) {
  if (a.shape.empty() || a.dtype == DType::text || a.size() == 0) return;
  const Rows rows(a);
  const std::int64_t block = std::max<std::int64_t>(1, 4096 / rows.width());
  std::vector<double> values;
  for (std::int64_t begin = 0; begin < rows.rows(); begin += block) {
    const std::int64_t end = std::min(rows.rows(), begin + block);
    values.resize(static_cast<std::size_t>((end - begin) * rows.width()));
    rows.read(begin, end, values);
  }
}

}  // namespace plumb
