#include "metrics/kernel/chebyshev.hpp"

#include <algorithm>
#include <cmath>

namespace plumb::detail {
namespace {

// cos((2m + 1) pi / 32), m = 0..7, rounded from 30 digits: no libm on a value path.
constexpr double kNode[8] = {0.9951847266721968862448369531, 0.9569403357322088649357978870,
                             0.8819212643483550297127568637, 0.7730104533627369608109066098,
                             0.6343932841636454982151716132, 0.4713967368259976485563876259,
                             0.2902846772544623676361923758, 0.0980171403295606019941955638};

Grid make_analysis() {
  Grid a{};
  for (int m = 0; m < kMoments; ++m) {
    const Series t = chebyshev(chebyshev_node(m));
    for (std::size_t k = 0; k < kMoments; ++k) a[k][m] = (k == 0 ? 1.0 : 2.0) / kMoments * t[k];
  }
  return a;
}

}  // namespace

double chebyshev_node(int m) { return m < 8 ? kNode[m] : -kNode[15 - m]; }

const Grid& chebyshev_analysis() {
  static const Grid a = make_analysis();
  return a;
}

// What a series leaves out: its terms go on falling at least as fast as the last four do, even
// and odd ones apart.
double tail_of(const Series& size) {
  const double even = size[14] < size[12] ? size[14] / size[12] : 1.0;
  const double odd = size[15] < size[13] ? size[15] / size[13] : 1.0;
  const double fall = std::min(0.75, std::max(even, odd));
  return (size[14] + size[15]) * fall / (1.0 - fall);
}

Block make_block(const Grid& value) {
  const auto& a = chebyshev_analysis();
  Grid half{};  // [i][l]: series in the target variable at source node l
  for (std::size_t i = 0; i < kMoments; ++i) {
    for (std::size_t m = 0; m < kMoments; ++m) {
      for (std::size_t l = 0; l < kMoments; ++l) half[i][l] += a[i][m] * value[m][l];
    }
  }
  Grid turned;  // the analysis transposed, so that the inner loop runs along memory
  for (std::size_t k = 0; k < kMoments; ++k) {
    for (std::size_t l = 0; l < kMoments; ++l) turned[l][k] = a[k][l];
  }
  Block b;
  Series rows{}, columns{};  // sums of magnitudes
  for (std::size_t i = 0; i < kMoments; ++i) {
    Series row{};
    for (std::size_t l = 0; l < kMoments; ++l) {
      for (std::size_t k = 0; k < kMoments; ++k) row[k] += half[i][l] * turned[l][k];
    }
    for (std::size_t k = 0; k < kMoments; ++k) {
      b.entry[k][i] = row[k];
      rows[i] += std::abs(row[k]);
      columns[k] += std::abs(row[k]);
    }
  }
  b.error = tail_of(rows) + tail_of(columns);
  return b;
}

}  // namespace plumb::detail
