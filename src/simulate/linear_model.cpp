#include "plumb/simulate/linear_model.hpp"

#include <stdexcept>

#include "plumb/numeric/elementary.hpp"
#include "plumb/simulate/streams.hpp"

namespace plumb {

LinearModelData simulate_linear_model(const LinearModelOptions& options) {
  if (options.items < 0 || options.dimension < 1)
    throw std::invalid_argument(
        "a linear model needs at least one dimension and no negative number of items");
  LinearModelData out;
  out.features.reserve(options.items * options.dimension);
  for (std::int64_t i = 0; i < options.items; ++i) {
    RandomStream random = item_stream(options.seed, "linear model", i);
    const double u = random.uniform();  // drawn first, so that the label does not depend on the dimension
    const float first = random.normal();
    out.features.push_back(first);
    for (std::int64_t k = 1; k < options.dimension; ++k) out.features.push_back(random.normal());
    const double p = logistic(first);
    out.truth.push_back(p);
    out.labels.push_back(u < p ? 1 : 0);
  }
  return out;
}

}  // namespace plumb
