#include "metrics/kernel/chebyshev.hpp"

#include <algorithm>
#include <cmath>

#include "metrics/kernel/box_kernels.hpp"

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

// The analysis with rows and columns exchanged.
static const Grid& turned_analysis() {
  static const Grid turned = [] {
    Grid out;
    for (std::size_t k = 0; k < kMoments; ++k)
      for (std::size_t l = 0; l < kMoments; ++l) out[l][k] = chebyshev_analysis()[k][l];
    return out;
  }();
  return turned;
}

Block make_block(const Grid& value) {
  Grid half, row;  // [i][l]: series in the target variable at source node l; [i][k]: in both variables
  multiply_grids(chebyshev_analysis(), value, half);
  multiply_grids(half, turned_analysis(), row);
  Block b;
  Series rows{}, columns{};  // sums of magnitudes
  for (std::size_t i = 0; i < kMoments; ++i) {
    for (std::size_t k = 0; k < kMoments; ++k) {
      b.entry[k][i] = row[i][k];
      rows[i] += std::abs(row[i][k]);
      columns[k] += std::abs(row[i][k]);
    }
  }
  b.error = tail_of(rows) + tail_of(columns);
  return b;
}

}  // namespace plumb::detail
