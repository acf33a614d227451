#include "plumb/metrics/raters/u_statistic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "metrics/raters/share_pass.hpp"
#include "plumb/data/check.hpp"

namespace plumb {
namespace {

/// Beyond this many histograms of votes an exact sum is impractical.
constexpr double kMostHistograms = 1e7;

/// Calls leaf(counts, product) for every way to give `order` votes to the classes in `use`; factor(k, s) is
/// what s votes for class k multiply the product with, 0 cuts the branch.
template <class Factor, class Leaf>
class Enumeration {
 public:
  Enumeration(std::vector<std::uint32_t> use, std::size_t classes, Factor factor, Leaf leaf)
      : use_(std::move(use)), counts_(classes, 0), factor_(factor), leaf_(leaf) {}
  void run(std::uint32_t order) { visit(0, order, 1); }

 private:
  void visit(std::size_t at, std::uint32_t left, double product) {
    if (left == 0) return leaf_(counts_, product);
    if (at == use_.size()) return;
    const std::uint32_t k = use_[at];
    for (std::uint32_t s = at + 1 == use_.size() ? left : 0; s <= left; ++s) {
      const double f = factor_(k, s);
      if (f == 0) break;  // one vote more than there are stays impossible
      counts_[k] = s;
      visit(at + 1, left - s, product * f);
    }
    counts_[k] = 0;
  }
  std::vector<std::uint32_t> use_, counts_;
  Factor factor_;
  Leaf leaf_;
};

double choose(double n, std::uint32_t k) {
  double c = 1;
  for (std::uint32_t j = 0; j < k; ++j) c = c * (n - j) / (j + 1);
  return c;
}

void check_size(std::int64_t classes, int order) {
  if (order < 1)
    throw InputError("a statistic of votes needs an order of at least 1, not " + std::to_string(order));
  const double histograms = choose(1.0 * classes + order - 1, order);
  if (histograms > kMostHistograms)
    throw InputError("a statistic of " + counted(order, "vote") + " over " + counted(classes, "class") +
                     " would sum over " + show(histograms) + " histograms; lower the order or merge classes");
}

template <class Factor>
double expectation(const VoteStatistic& s, std::vector<std::uint32_t> use, std::size_t classes,
                   Factor factor) {
  check_size(use.size(), s.order);
  double favourable = 0, total = 0;
  const auto leaf = [&](const std::vector<std::uint32_t>& counts, double product) {
    total += product;
    if (s.phi(counts)) favourable += product;
  };
  Enumeration<Factor, decltype(leaf)>(std::move(use), classes, factor, leaf).run(s.order);
  return total > 0 ? favourable / total : 0;
}

}  // namespace

VoteStatistic any_differ(int order) {
  return {order, [order](std::span<const std::uint32_t> counts) {
            return std::none_of(counts.begin(), counts.end(), [order](std::int64_t c) { return c == order; });
          }};
}

VoteStatistic votes_for(int k, int at_least, int order) {
  return {order, [k, at_least](std::span<const std::uint32_t> counts) {
            return std::int64_t{counts[k]} >= at_least;
          }};
}

double u_statistic(const VoteStatistic& s, std::span<const std::uint32_t> counts) {
  std::vector<std::uint32_t> use;
  std::int64_t n = 0;
  for (std::uint32_t k = 0; k < counts.size(); ++k) {
    if (counts[k] > 0) use.push_back(k);
    n += counts[k];
  }
  if (n < s.order)
    throw InputError("a statistic of " + counted(s.order, "vote") + " needs as many, and there are " +
                     std::to_string(n));
  // Choices that give the sub-histogram: prod_k C(y_k, s_k), out of C(n, order).
  return expectation(s, std::move(use), counts.size(),
                     [counts](std::uint32_t k, std::uint32_t votes) { return choose(counts[k], votes); });
}

double forecast_statistic(const VoteStatistic& s, std::span<const double> z) {
  return forecast_statistic(s, z, std::numeric_limits<double>::infinity());
}

double forecast_statistic(const VoteStatistic& s, std::span<const double> z, double alpha_0) {
  std::vector<std::uint32_t> use;
  for (std::uint32_t k = 0; k < z.size(); ++k)
    if (z[k] > 0) use.push_back(k);
  // Cat(z): z^s / s!. Dirichlet-multinomial: alpha (alpha + 1) ... (alpha + s - 1) / s!, divided by alpha_0
  // at each step so that both are the same at infinity. The common factors cancel in the ratio.
  return expectation(s, std::move(use), z.size(), [z, alpha_0](std::uint32_t k, std::uint32_t votes) {
    double f = 1;
    for (std::uint32_t j = 0; j < votes; ++j)
      f = f * (z[k] + (std::isinf(alpha_0) ? 0 : j / alpha_0)) / (j + 1);
    return f;
  });
}

void statistic_forecasts(const VoteStatistic& s, const ItemBlock& block,
                         std::span<const double> concentration, std::vector<double>& out) {
  out.resize(block.size);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double both[] = {block.binary() ? 1 - block.z.z[i] : 0, block.z.z[i]};
    const std::span<const double> z =
        block.binary() ? std::span<const double>(both)
                       : std::span<const double>(block.z.z).subspan(i * block.classes, block.classes);
    out[i] = concentration.empty() ? forecast_statistic(s, z) : forecast_statistic(s, z, concentration[i]);
  }
}

void statistic_terms(const VoteStatistic& s, const ItemBlock& block, std::span<const double> forecast,
                     const BinEdges& edges, ShareTerms& out) {
  set_forecasts(forecast, std::span<const BinEdges>(&edges, 1), out);
  std::vector<std::uint32_t> counts(block.classes);
  detail::begin_shares(block.size, block.size, block.weight, out);
  std::uint32_t next = 0;
  for (std::int64_t i = 0; i < block.size; ++i) {
    const bool weighs = block.weight.empty() || block.weight[i] > 0;
    const std::int64_t n = block.votes.votes(i);
    out.votes[i] = weighs && n >= s.order ? n : 0;
    if (out.votes[i] > 0) {
      for (std::uint32_t k = 0; k < counts.size(); ++k) counts[k] = block.votes.hits(i, k);
      if (const double mu = u_statistic(s, counts); mu > 0)
        next = detail::write_share(next, mu, 0, forecast[i], 0, out);
    }
    out.offset[i + 1] = next;
  }
}

StatisticLosses statistic_losses(const ShareTables& t, std::size_t column) {
  const std::uint64_t items = share_items(t, Population::all);
  const Estimate none = Estimate::undefined("no item has enough votes");
  if (items == 0) return {none, none, none, none};
  const ShareLosses l = share_losses(t, Population::all).at(column);
  StatisticLosses out{l.lsq, l.cl_plugin, l.cl, signed_root(l.cl)};
  for (Estimate* e : {&out.loss, &out.cl_plugin, &out.cl, &out.ce}) e->items = items;
  return out;
}

}  // namespace plumb
