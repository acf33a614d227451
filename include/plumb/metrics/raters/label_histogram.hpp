// Losses against the histogram of votes (Mimori 2021, section 3): lsq = el + il, el = cl + dl;
// plug-in and debiased.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/data/items.hpp"
#include "plumb/metrics/estimate.hpp"
#include "plumb/metrics/raters/share_builder.hpp"

namespace plumb {

/// Values by class of each key, in the order of the docs page.
using ClassScores = std::vector<std::pair<std::string, std::vector<std::optional<double>>>>;

/// The same bins for every class; two classes when binary.
[[nodiscard]] std::vector<BinEdges> classwise_edges(int classes, const BinEdges& edges);

/// Projects a block: column k holds p = z_k and mu = y_k / n. Binary tasks have the columns 1 - z and z.
void histogram_terms(const ItemBlock& block, std::span<const BinEdges> edges, ShareTerms& out);
/// The votes alone, for a block whose forecasts are there: a null that redraws the labels
/// changes nothing else.
void histogram_shares(const ItemBlock& block, ShareTerms& out);

/// Writes lsq, cl_plugin, cl, ce, rl over the items with votes and el_plugin, el, dl_plugin, dl, de, il over
/// those with two votes or more, whose number is in `items`.
void finish_label_histogram(const ShareTables& t, Scores& out);
/// The same keys by class.
[[nodiscard]] ClassScores label_histogram_classes(const ShareTables& t);

/// One bin of one class, over the items with votes;
/// el to il over those with two votes or more, absent without such.
struct HistogramRow {
  int cls = 0;
  double low = 0, high = 0;
  std::uint64_t items = 0, items_several = 0;
  double weight = 0;
  std::optional<double> mean_p, mean_mu, gap;  ///< absent when the bin is empty; gap = mean_p - mean_mu
  std::optional<double> lsq, cl_plugin, cl, el_plugin, el, dl_plugin, dl, il;
};
[[nodiscard]] std::vector<HistogramRow> label_histogram_rows(const ShareTables& t);

}  // namespace plumb
