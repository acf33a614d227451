// How votes of a calibrated model are simulated, and the two parameters that are fitted for it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plumb/data/forecasts.hpp"
#include "plumb/data/items.hpp"
#include "plumb/resample/vote_counts.hpp"

namespace plumb {

/// Items of one group move together: their uniform numbers are Phi of normal ones, any two of which are
/// correlated by rho (a Gaussian copula). A few groups determine rho poorly, and the point estimate alone
/// would reject too often: each replicate draws its own from the posterior under a flat prior on sqrt(rho).
struct GroupModel {
  double rho = 0;                        ///< of the largest likelihood
  std::vector<double> roots, posterior;  ///< sqrt(rho), ascending; the cumulative posterior, not normalised
  [[nodiscard]] double draw(std::uint64_t seed, std::uint32_t replicate) const;
};

/// Where a calibrated model's votes come from: a model of them, or the observed residuals of whole units (an
/// item's votes, a group's items) with random signs.
enum class NullKind { model, signs };

struct NullModel {
  NullKind kind = NullKind::model;
  bool several = false;         ///< some item has two votes or more
  bool grouped = false;         ///< items of one group move together
  double vote_correlation = 0;  ///< of two votes of an item: 1/(1 + s), s the Dirichlet concentration
  GroupModel groups;
  std::shared_ptr<VoteMarksCache> marks = std::make_shared<VoteMarksCache>();  ///< shared by all draws
  [[nodiscard]] std::string name() const;
};

/// 1/(1 + s), s the maximum of the Dirichlet-multinomial likelihood of the votes with mean z; weights do not
/// enter, beyond that items of weight 0 are left out.
[[nodiscard]] double fit_vote_correlation(const Items& items, int threads);

/// From the event's column, in ascending order;
/// `votes` was planned for it, `group` has the number of each row's group.
[[nodiscard]] GroupModel fit_groups(const ForecastsView& ascending, const VoteCounts& votes,
                                    std::span<const std::uint32_t> group, std::int64_t groups, int threads);

}  // namespace plumb
