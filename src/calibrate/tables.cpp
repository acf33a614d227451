#include "calibrate/tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "calibrate/onnx_flow.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/memory.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb::detail {
namespace {

constexpr std::int64_t kHeld = std::int64_t{1} << 24;  // forecasts in memory at a time, above one class

// The columns of classes [first, first + out.size()), read in one pass.
void collect_classes(const Items& items, int first, int threads, std::vector<Forecasts>& out) {
  const std::int64_t n = items.size();
  for (Forecasts& f : out) {
    resize_large(f.p, n);
    f.hits.assign(n, 0.0);
    f.trials.resize(n);
    f.weight.resize(items.weights.empty() ? 0 : n);
  }
  std::vector<ItemBlock> blocks(resolve_threads(threads));
  parallel_blocks(
      items.size(), block_rows(items), threads, [&](int worker, std::int64_t begin, std::int64_t end) {
        ItemBlock& b = blocks[worker];
        read_items(items, begin, end, b);
        const std::int64_t at = begin, size = b.size, width = b.z.width;
        for (std::int64_t c = 0; c < std::ssize(out); ++c) {
          const double* z = b.z.z.data() + first + c;
          for (std::int64_t i = 0; i < size; ++i) out[c].p[at + i] = z[i * width];
          for (std::int64_t i = 0; i < size; ++i) out[c].trials[at + i] = b.votes.votes(i);
          std::copy(b.weight.begin(), b.weight.end(), out[c].weight.begin() + (b.weight.empty() ? 0 : begin));
        }
        const auto add_vote = [&](std::int64_t i, std::uint32_t cls, double count) {
          const std::int64_t c = std::int64_t{cls} - first;
          if (c >= 0 && c < std::ssize(out)) out[c].hits[at + i] = count;
        };
        for (std::int64_t i = 0; i < size; ++i) {
          if (b.votes.single) {
            add_vote(i, b.votes.cls[i], 1);
            continue;
          }
          for (std::uint32_t e = b.votes.offset[i]; e < b.votes.offset[i + 1]; ++e)
            add_vote(i, b.votes.cls[e], b.votes.count[e]);
        }
      });
}

// Items and votes of positive weight, and the weight of all votes.
double count_votes(const Forecasts& f, FitReport& report) {
  ExactSum mass;
  for (std::int64_t i = 0; i < std::ssize(f); ++i) {
    const double trials = f.view().trials_of(i), weight = f.view().weight_of(i);
    if (!(trials * weight > 0)) continue;
    ++report.items;
    report.votes += static_cast<std::int64_t>(trials);
    mass.add(trials * weight);
  }
  return mass.value();
}

}  // namespace

double event_loss(double hits, double trials, double v) {
  return -hits * log_portable(v) - (trials - hits) * log_portable(1 - v);
}

Step step_of_tables(const std::string& method, const std::vector<BinTable>& tables, double mass) {
  Step step{method};
  std::vector<double> bins, edges, values;
  ExactSum loss;
  for (const BinTable& t : tables) {
    bins.push_back(t.values.size());
    edges.insert(edges.end(), t.edges.begin(), t.edges.end());
    values.insert(values.end(), t.values.begin(), t.values.end());
    loss.add(t.loss);
  }
  step.add_parameter("cells", std::move(bins));
  step.add_parameter("edges", std::move(edges));
  step.add_parameter("values", std::move(values));
  step.fit.objective = mass > 0 ? loss.value() / mass : 0;
  return step;
}

Step fit_tables(const Items& items, int threads, const std::string& method, const FitTable& fit) {
  FitReport report;
  std::vector<BinTable> tables;
  double mass = 0;
  if (items.binary()) {
    const Forecasts f = collect_class(items, 1, threads);
    mass = count_votes(f, report);
    tables.push_back(fit(sort_forecasts(f, threads).view()));
  } else {
    const int classes = items.classes();
    const auto chunk = static_cast<int>(
        std::clamp<std::int64_t>(kHeld / std::max<std::int64_t>(items.size(), 1), 1, classes));
    for (int first = 0; first < classes; first += chunk) {
      std::vector<Forecasts> columns(std::min(chunk, classes - first));
      collect_classes(items, first, threads, columns);
      if (first == 0) mass = count_votes(columns.front(), report);
      for (const Forecasts& f : columns) tables.push_back(fit(sort_forecasts(f, threads).view()));
    }
  }
  Step step = step_of_tables(method, tables, mass);
  step.fit.items = report.items;
  step.fit.votes = report.votes;
  return step;
}

MapPtr map_tables(const Step& step, int classes) {
  const std::int64_t columns = classes == 2 ? 1 : classes;
  const auto bins = parameter(step, "cells", {columns});
  const auto edges = vector_parameter(step, "edges");
  const auto values = vector_parameter(step, "values");
  const std::string bad = "the model file's " + step.method + " step has tables that ";
  std::vector<BinTable> tables;
  std::int64_t edge = 0, value = 0;
  for (const double c : bins) {
    if (!(c >= 1 && c <= std::ssize(values) - value) || c != std::floor(c))
      throw InputError(bad + "do not match the number of bins");
    const auto n = static_cast<std::int64_t>(c);
    if (edge + n - 1 > std::ssize(edges)) throw InputError(bad + "lack edges");
    const auto at = [](std::span<const double> v, std::int64_t i) { return v.begin() + i; };
    BinTable t{{at(edges, edge), at(edges, edge + n - 1)}, {at(values, value), at(values, value + n)}};
    if (!std::is_sorted(t.edges.begin(), t.edges.end())) throw InputError(bad + "are not in order");
    if (std::any_of(t.values.begin(), t.values.end(), [](double v) { return !(v > 0 && v < 1); }))
      throw InputError(bad + "hold a value outside of 0 and 1");
    edge += n - 1;
    value += n;
    tables.push_back(std::move(t));
  }
  if (edge != std::ssize(edges) || value != std::ssize(values))
    throw InputError(bad + "have more numbers than bins");
  return make_rows_map(Scale::probability, [tables = std::move(tables)](std::span<const double> in, int width,
                                                                        std::span<double> z) {
    const std::int64_t k = width;
    for (std::int64_t row = 0; row + k <= std::ssize(in); row += k) {
      double sum = 0;
      for (std::int64_t c = 0; c < k; ++c) {
        const BinTable& t = tables[c];
        z[row + c] =
            t.values[std::upper_bound(t.edges.begin(), t.edges.end(), in[row + c]) - t.edges.begin()];
        sum += z[row + c];
      }
      if (k > 1)
        for (std::int64_t c = 0; c < k; ++c) z[row + c] /= sum;
    }
  });
}

void onnx_tables(OnnxFlow& flow, const Step& step) {
  const std::string z = flow.probabilities();
  const std::int64_t columns = flow.width();
  const auto bins = parameter(step, "cells", {columns});
  const auto edges = vector_parameter(step, "edges"), values = vector_parameter(step, "values");
  const auto most = static_cast<std::int64_t>(*std::max_element(bins.begin(), bins.end()));
  const std::int64_t slots = std::max<std::int64_t>(most, 2) - 1;
  // Tables of one length, filled with edges that nothing reaches.
  std::vector<double> all_edges(columns * slots, std::numeric_limits<double>::infinity()),
      all_values(columns * (slots + 1), 0.5);
  std::vector<std::int64_t> start;
  std::int64_t edge = 0, value = 0;
  for (std::int64_t c = 0; c < columns; ++c) {
    start.push_back(c * (slots + 1));
    for (std::int64_t i = 0; i + 1 < bins[c]; ++i) all_edges[c * slots + i] = edges[edge++];
    for (std::int64_t i = 0; i < bins[c]; ++i) all_values[c * (slots + 1) + i] = values[value++];
  }
  OnnxGraph& graph = flow.graph();
  const std::string index = flow.bin(z, graph.constant(all_edges, {columns, slots}));
  const std::string from = graph.constant(std::span<const std::int64_t>(start), {columns});
  std::string found = flow.op("Gather", flow.row(all_values), flow.op("Add", index, from));
  if (columns > 1)
    found =
        flow.op("Div", found, graph.node("ReduceSum", {found, graph.integer_constant(1)}, {{"keepdims", 1}}));
  flow.give_probabilities(found);
}

}  // namespace plumb::detail
