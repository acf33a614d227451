#include "plumb/raters/orders.hpp"

#include <algorithm>
#include <cmath>

#include "plumb/data/check.hpp"
#include "plumb/metrics/raters/disagreement.hpp"
#include "plumb/numeric/fixed_point.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/progress.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/resample/interval.hpp"

namespace plumb {
namespace {

constexpr std::int64_t kOrderBlock = 512;

/// One order, or one question of it: from items to columns of forecasts and shares of choices.
class OrderColumns {
 public:
  OrderColumns(const Items& items, int order, const std::vector<bool>* yes)
      : items_(items), ways_(items.classes(), order), yes_(yes) {}
  [[nodiscard]] std::int64_t columns() const { return yes_ != nullptr ? 1 : ways_.size(); }

  struct Scratch {
    ItemBlock block;
    PredictionBlock sample;
    std::vector<double> alpha, forecast, target, z, p;
    std::vector<std::uint32_t> counts;
    ShareTerms terms;
  };
  const ShareTerms& read(std::int64_t begin, std::int64_t end, std::span<const BinEdges> edges,
                         Scratch& s) const {
    read_items(items_, begin, end, s.block);
    const std::int64_t n = end - begin;
    s.forecast.assign(n * ways_.size(), 0.0);
    const int samples = items_.predictions.samples();
    for (int sample = 0; sample < samples; ++sample) {
      s.alpha.clear();
      const auto& given = items_.concentration;
      if (!given.empty()) read_concentration(given[given.size() > 1 ? sample : 0], begin, end, s.alpha);
      if (samples > 1) items_.predictions.read_sample(sample, begin, end, s.sample);
      add_forecasts(samples > 1 ? s.sample : s.block.z, samples, s);
    }
    s.p.resize(n * columns());
    for (std::int64_t i = 0; i < n; ++i)
      project(s.forecast.data() + i * ways_.size(), s.p.data() + i * columns());
    set_forecasts(s.p, edges, s.terms);
    add_shares(s);
    return s.terms;
  }

 private:
  void add_forecasts(const PredictionBlock& z, int samples, Scratch& s) const {
    s.z.resize(items_.classes());
    for (std::int64_t i = 0; i < z.size; ++i) {
      const double* row = z.z.data() + i * z.width;
      if (z.width == 1) {
        s.z = {1 - row[0], row[0]};
      } else {
        std::copy(row, row + z.width, s.z.begin());
      }
      const auto size = static_cast<std::size_t>(ways_.size());
      ways_.add_forecast(s.z, s.alpha.empty() ? 0 : s.alpha[i], 1.0 / samples,
                         {s.forecast.data() + i * size, size});
    }
  }
  /// The columns of all multisets, or the sum over those that answer yes. Rounded sums may exceed 1.
  void project(const double* by_way, double* out) const {
    if (yes_ == nullptr) {
      for (std::int64_t m = 0; m < ways_.size(); ++m) out[m] = std::min(1.0, by_way[m]);
      return;
    }
    double sum = 0;
    for (std::int64_t m = 0; m < ways_.size(); ++m) sum += (*yes_)[m] ? by_way[m] : 0;
    *out = std::min(1.0, sum);
  }
  void add_shares(Scratch& s) const {
    const ItemBlock& block = s.block;
    ShareTerms& t = s.terms;
    t.weight = block.weight;
    t.votes.assign(block.size, 0);
    t.offset.assign(1, 0);
    t.column.clear();
    t.share.clear();
    s.target.resize(ways_.size());
    std::vector<double> shares(columns());
    for (std::int64_t i = 0; i < block.size; ++i) {
      const std::uint32_t n = block.votes.votes(i);
      const bool weighs = block.weight.empty() || block.weight[i] > 0;
      if (weighs && n >= static_cast<std::uint32_t>(ways_.order())) {
        s.counts.assign(block.classes, 0);
        for (int k = 0; k < block.classes; ++k) s.counts[k] = block.votes.hits(i, k);
        ways_.targets(s.counts, s.target);
        project(s.target.data(), shares.data());
        t.votes[i] = std::max(2u, n);  // the tables keep single votes apart, which have no place here
        for (std::int64_t c = 0; c < columns(); ++c) {
          if (shares[c] == 0) continue;
          const double mu = shares[c], p = s.p[i * columns() + c];
          t.column.push_back(static_cast<std::uint32_t>(c));
          t.share.push_back({to_fixed(mu), to_fixed(mu * mu), 0, 2 * to_fixed(p * mu)});
        }
      }
      t.offset.push_back(static_cast<std::uint32_t>(t.share.size()));
    }
  }

  const Items& items_;
  Multisets ways_;
  const std::vector<bool>* yes_;
};

ShareTables order_tables(const Items& items, const OrderColumns& columns, const std::vector<BinEdges>& edges,
                         const Units* units, std::uint64_t seed, std::uint32_t replicate, int threads) {
  struct Worker {
    ShareBuilder builder;
    OrderColumns::Scratch scratch;
    std::vector<std::uint64_t> unit;
    std::vector<std::uint32_t> times;
  };
  std::vector<Worker> workers;
  for (int w = 0; w < resolve_threads(threads); ++w) workers.push_back({ShareBuilder(edges), {}, {}, {}});
  parallel_blocks(items.size(), kOrderBlock, threads, [&](int worker, std::int64_t begin, std::int64_t end) {
    Worker& w = workers[worker];
    if (units != nullptr) {
      w.unit.resize(end - begin);
      w.times.resize(end - begin);
      units->read(begin, end, w.unit);
      fill_poisson(seed, replicate, w.unit, w.times);
    }
    w.builder.update(columns.read(begin, end, edges, w.scratch), w.times);
  });
  ShareTables out = workers[0].builder.finish();
  for (std::size_t w = 1; w < workers.size(); ++w) merge(out, workers[w].builder.finish());
  return out;
}

/// loss, plugin, debiased: sums over the columns.
std::vector<double> order_losses(const ShareTables& t) {
  ShareLosses sum;
  for (const ShareLosses& l : share_losses(t, Population::several)) sum += l;
  return {sum.lsq, sum.cl_plugin, sum.cl};
}

/// What its own noise alone adds to a replicate's plug-in: the mean squared move of the gaps of its bins.
double squared_moves(const ShareTables& drawn, const ShareTables& observed) {
  const double total = share_weight(drawn, Population::several);
  double sum = 0;
  for (std::size_t c = 0; c < drawn.edges.size(); ++c)
    for (int b = 0; b < drawn.edges[c].count(); ++b) {
      const ShareBin from = share_bin(observed, Population::several, c, b),
                     to = share_bin(drawn, Population::several, c, b);
      if (from.empty() || to.empty()) continue;
      const double moved = to.gap() - from.gap();
      sum += to.w.value() / total * moved * moved;
    }
  return total > 0 ? sum : 0;
}

/// Replicates of a debiased square with the spread of the square itself. With noise r of a true gap g, the
/// square varies as 2 g r + r^2; a replicate, whose noise is s, as 2 (g + r) s + s^2, the variance of which
/// is larger by twice that of s^2. Far from 0 this is little; at 0 a third is left.
void narrow_squares(const std::vector<double>& moves, std::vector<double>& squares) {
  const double spread = standard_deviation(squares), own = standard_deviation(moves);
  if (!(spread > 0)) return;
  const double ratio = std::sqrt(std::max(1 - 2 * own * own / (spread * spread), 1.0 / 3)),
               middle = mean(squares);
  for (double& x : squares) x = middle + ratio * (x - middle);
}

OrderLosses one_order(const Items& items, std::string key, int order, const std::vector<bool>* yes,
                      const OrdersOptions& o) {
  const OrderColumns columns(items, order, yes);
  const std::vector<BinEdges> edges(columns.columns(), BinEdges{o.bins, true, {}});
  OrderLosses out =
      order_losses_of(std::move(key), order, order_tables(items, columns, edges, nullptr, 0, 0, o.threads));
  if (out.items == 0) return out;
  const std::vector<double> values = order_losses(out.tables);
  Bounded* const all[] = {&out.loss, &out.plugin, &out.debiased};
  if (o.bootstrap < 2 || out.items < 2) return out;
  const Units units(items);
  std::vector<std::vector<double>> drawn(o.bootstrap);
  std::vector<double> moves(o.bootstrap);
  const Progress progress({}, o.cancel);
  parallel_blocks(o.bootstrap, 1, o.threads, [&](int, std::int64_t b, std::int64_t) {
    progress.check();
    const ShareTables tables =
        order_tables(items, columns, edges, &units, o.seed, static_cast<std::uint32_t>(b), 1);
    drawn[b] = order_losses(tables);
    moves[b] = squared_moves(tables, out.tables);
  });
  for (const std::size_t j : {0, 2}) {  // the plug-in's replicates are biased twice
    std::vector<double> column;
    for (const auto& row : drawn) column.push_back(row[j]);
    if (j == 2) narrow_squares(moves, column);
    const Bounds b = normal_bounds(values[j], column, o.level);
    all[j]->low = b.low;
    all[j]->high = b.high;
    all[j]->interval = "normal";
  }
  return out;
}

}  // namespace

OrderLosses order_losses_of(std::string key, int order, ShareTables tables) {
  OrderLosses out;
  out.key = std::move(key);
  out.order = order;
  out.columns = std::ssize(tables.edges);
  out.tables = std::move(tables);
  out.items = static_cast<std::int64_t>(share_items(out.tables, Population::several));
  Bounded* const all[] = {&out.loss, &out.plugin, &out.debiased};
  const std::vector<double> values = out.items > 0 ? order_losses(out.tables) : std::vector<double>{};
  for (std::size_t j = 0; j < 3; ++j) {
    if (values.empty()) {
      all[j]->why = "no item has " + counted(order, "vote");
    } else {
      all[j]->value = values[j];
    }
  }
  return out;
}

std::vector<OrderLosses> evaluate_orders(const Items& items, const OrdersOptions& o) {
  check_bins(o.bins);
  check_level(o.level);
  check_items(items);
  std::vector<OrderLosses> out;
  for (const int k : o.orders) out.push_back(one_order(items, "order_" + std::to_string(k), k, nullptr, o));
  for (const std::string& text : o.statistics) {
    const VoteQuestion q = parse_question(text, items.classes(), items.class_names);
    out.push_back(one_order(items, text, q.order, &q.yes, o));
  }
  return out;
}

}  // namespace plumb
