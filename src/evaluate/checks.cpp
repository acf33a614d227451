#include "evaluate/checks.hpp"

#include <algorithm>

#include "plumb/data/check.hpp"

namespace plumb::detail {

void check_options(const EvaluateOptions& o) {
  check_bins(o.bins);
  check_level(o.level);
  check_threads(o.threads);
  if (!(o.tolerance > 0 && o.tolerance < 1))
    throw InputError("⟦tolerance⟧ must be between 0 and 1, not " + show(o.tolerance));
  check_bootstrap(o.bootstrap);
  // Noise of every bin is drawn a thousand times, for each of several errors.
  constexpr int kMostDrawnBins = 10'000;
  if (o.bootstrap > 0 && o.bins > kMostDrawnBins)
    throw InputError("with ⟦bootstrap⟧ there may be at most " + std::to_string(kMostDrawnBins) +
                     " bins; give fewer ⟦bins⟧, or leave ⟦bootstrap⟧ out");
  if (!(o.bandwidth >= 0))
    throw InputError("⟦bandwidth⟧ must be above 0, or 0 for an automatic one, not " + show(o.bandwidth));
  if (!(o.clip >= 0 && o.clip < 0.5)) throw InputError("⟦clip⟧ must lie in [0, 0.5), not " + show(o.clip));
}

void check_table_size(std::int64_t classes, std::int64_t bins) {
  if (classes < 2) throw InputError("no predictions given; use ⟦probs⟧ or ⟦logits⟧");
  const std::int64_t most = std::max<std::int64_t>(1'000'000 / classes, 100);
  if (bins > most)
    throw InputError("⟦bins⟧ " + std::to_string(bins) + " for each of " + std::to_string(classes) +
                     " classes needs too much memory; give at most " + std::to_string(most));
}

void check_mass(const Items& items, const Bin& total) {
  if (total.items > 0) return;
  if (items.size() == 0) throw InputError(items.predictions.sources()[0].name() + " has no items");
  if (!items.weights.empty()) {
    std::vector<double> w(items.size());
    items.weights.read(0, items.size(), w);
    if (std::all_of(w.begin(), w.end(), [](double x) { return x == 0; }))
      throw InputError(items.weights.name() +
                       ": all weights are zero; give at least one item a positive weight");
  }
  throw InputError(items.votes.rows().name() +
                   ": no item has a vote, so there is nothing to evaluate against");
}

}  // namespace plumb::detail
