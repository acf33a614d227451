#include "evaluate/unseen.hpp"

#include <algorithm>
#include <cmath>

#include "evaluate/inversion.hpp"
#include "plumb/numeric/elementary.hpp"

namespace plumb::detail {

double unseen_share(double n, double level) { return std::min(poisson_upper(0, level) / n, 1.0); }

std::optional<double> other_loss(std::string_view key, double value, bool binary) {
  if (key == "brier") {
    const double likely = 1 - std::sqrt(std::clamp(value, 0.0, 1.0));
    return binary ? likely * likely : 2.0;
  }
  const double rest = 1 - exp_portable(-value);
  if (!(rest > 0)) return std::nullopt;
  return -log_portable(rest);
}

}  // namespace plumb::detail
