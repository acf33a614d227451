// Any symmetric binary statistic of n votes, given as a function of their counts (Mimori 2021, eq. 38, 39).
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "plumb/data/items.hpp"
#include "plumb/metrics/estimate.hpp"
#include "plumb/metrics/raters/share_builder.hpp"

namespace plumb {

/// phi of a histogram of exactly `order` votes over the K classes: 0 or 1.
struct VoteStatistic {
  int order = 2;
  std::function<bool(std::span<const std::uint32_t> counts)> phi;
};

[[nodiscard]] VoteStatistic any_differ(int order);  ///< not all `order` raters say the same
/// 1 when `at_least` of `order` raters say class k.
[[nodiscard]] VoteStatistic votes_for(int k, int at_least, int order);

/// The mean of phi over all choices of `order` of the votes (eq. 38), as a sum over sub-histograms: its cost
/// does not grow with the number of votes beyond the classes they name. Needs at least `order` votes.
[[nodiscard]] double u_statistic(const VoteStatistic& s, std::span<const std::uint32_t> counts);

/// The probability that phi = 1 for `order` votes drawn from Cat(z), or with concentration alpha_0 from the
/// Dirichlet-multinomial with alpha = alpha_0 z. alpha_0 = infinity is Cat(z).
[[nodiscard]] double forecast_statistic(const VoteStatistic& s, std::span<const double> z);
[[nodiscard]] double forecast_statistic(const VoteStatistic& s, std::span<const double> z, double alpha_0);

/// One column of ShareTerms: the forecast against the U-statistic; items with fewer than `order` votes are
/// left out. `forecast` has one probability per item; fill it from any source, or by the function below.
void statistic_terms(const VoteStatistic& s, const ItemBlock& block, std::span<const double> forecast,
                     const BinEdges& edges, ShareTerms& out);
void statistic_forecasts(const VoteStatistic& s, const ItemBlock& block,
                         std::span<const double> concentration, std::vector<double>& out);

/// The loss (eq. 39), plug-in and debiased calibration loss (eq. 42, 43) and its signed root,
/// read off the tables.
struct StatisticLosses {
  Estimate loss, cl_plugin, cl, ce;
};
[[nodiscard]] StatisticLosses statistic_losses(const ShareTables& t, std::size_t column = 0);

}  // namespace plumb
