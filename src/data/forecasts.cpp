#include "plumb/data/forecasts.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <stdexcept>

#include "data/shared/block_kernels.hpp"
#include "plumb/numeric/memory.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/sort.hpp"

namespace plumb {
namespace {

/// Where a projection writes; `trials` is empty for a block of single votes,
/// `p` where the block itself holds it.
struct Target {
  std::span<double> p, hits, trials;
};

void write_trials(const VoteBlock& votes, std::span<double> trials) {
  for (std::size_t i = 0; i < trials.size(); ++i) trials[i] = votes.votes(i);
}

/// hits[i] = votes of item first + i for label[i].
void write_hits(const VoteBlock& votes, std::size_t first, std::span<const std::uint32_t> label,
                std::span<double> hits) {
  if (votes.single) {
    detail::count_matches(votes.cls.data() + first, label.data(), std::ssize(label), hits.data());
    return;
  }
  for (std::size_t i = 0; i < label.size(); ++i) hits[i] = votes.hits(first + i, label[i]);
}

/// hits[i] = votes of item i for class k.
void write_class_hits(const VoteBlock& votes, std::uint32_t k, std::span<double> hits) {
  if (votes.single) {
    detail::count_class(votes.cls.data(), k, std::ssize(hits), hits.data());
    return;
  }
  for (std::size_t i = 0; i < hits.size(); ++i) hits[i] = votes.hits(i, k);
}

void write_class_p(const ItemBlock& block, int k, std::span<double> p) {
  const std::span<const double> z = block.z.z;
  if (!block.binary()) {
    for (std::int64_t i = 0; i < std::ssize(p); ++i) p[i] = z[i * block.z.width + k];
  } else if (k == 1) {
    detail::copy_values(z.data(), std::ssize(p), p.data());
  } else {
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = 1.0 - z[i];
  }
}

void write_class(const ItemBlock& block, int k, const Target& to) {
  if (k < 0 || k >= block.classes) throw std::invalid_argument("there is no such class");
  write_class_p(block, k, to.p);
  write_class_hits(block.votes, k, to.hits);
}

void write_top(const ItemBlock& block, const Target& to) {
  constexpr std::size_t kChunk = 512;
  std::uint32_t label[kChunk];
  for (std::size_t i = 0; i < to.p.size(); i += kChunk) {
    const std::size_t n = std::min(kChunk, to.p.size() - i);
    top_labels(block.z, i, to.p.subspan(i, n), {label, n});
    write_hits(block.votes, i, {label, n}, to.hits.subspan(i, n));
  }
}

Event resolved(Event event, const ItemBlock& block) {
  if (event == Event::event) return block.binary() ? Event::positive : Event::top;
  if (event == Event::positive && !block.binary())
    throw std::invalid_argument("the positive class is defined for binary tasks only");
  return event;
}

void write_event(const ItemBlock& block, Event event, const Target& to) {
  if (resolved(event, block) == Event::top) return write_top(block, to);
  write_class(block, 1, to);
}

/// Sizes the columns for one block, lets `write` fill p and hits, and adds trials and weights.
template <class Write>
void fill(const ItemBlock& block, Forecasts& out, Write write) {
  const std::int64_t n = block.size;
  out.p.resize(n);
  out.hits.resize(n);
  out.trials.resize(block.votes.single ? 0 : n);
  out.weight.resize(block.weight.size());
  detail::copy_values(block.weight.data(), std::ssize(block.weight), out.weight.data());
  write(Target{out.p, out.hits, out.trials});
  write_trials(block.votes, out.trials);
}

template <class Write>
Forecasts collect_with(const Items& items, int threads, Write write) {
  const std::int64_t n = items.size();
  Forecasts out;
  resize_large(out.p, n, threads);
  resize_large(out.hits, n, threads);
  const bool labels = !items.votes.rows().empty() && items.votes.kind() == Votes::Kind::labels;
  if (!labels) resize_large(out.trials, n, threads);
  if (!items.weights.empty()) resize_large(out.weight, n, threads);
  std::vector<ItemBlock> blocks(resolve_threads(threads));
  std::atomic<bool> single{true};
  parallel_blocks(
      items.size(), block_rows(items), threads, [&](int worker, std::int64_t begin, std::int64_t end) {
        ItemBlock& block = blocks[worker];
        read_items(items, begin, end, block);
        const auto part = [&](std::vector<double>& column) {
          return column.empty() ? std::span<double>() : std::span(column).subspan(begin, end - begin);
        };
        const Target to{part(out.p), part(out.hits), part(out.trials)};
        write(block, to);
        write_trials(block.votes, to.trials);
        detail::copy_values(block.weight.data(), std::ssize(block.weight), part(out.weight).data());
        if (!block.votes.single) single.store(false, std::memory_order_relaxed);
      });
  if (single) out.trials = {};
  return out;
}

}  // namespace

ForecastsView ForecastsView::slice(std::size_t begin, std::size_t count) const {
  const auto part = [&](auto column) { return column.empty() ? column : column.subspan(begin, count); };
  return {part(p), part(hits), part(trials), part(weight), part(times), whole_counts};
}

void project(const ItemBlock& block, Event event, Forecasts& out) {
  fill(block, out, [&](const Target& to) { write_event(block, event, to); });
}

void project_class(const ItemBlock& block, int k, Forecasts& out) {
  fill(block, out, [&](const Target& to) { write_class(block, k, to); });
}

void project_top(const ItemBlock& block, int top, Forecasts& out) {
  if (top < 1) throw std::invalid_argument("the number of top classes must be at least 1");
  const int classes = block.classes, m = std::min(top, classes);
  std::vector<std::pair<double, int>> ranked(classes);
  fill(block, out, [&](const Target& to) {
    for (std::int64_t i = 0; i < std::ssize(to.p); ++i) {
      for (int k = 0; k < classes; ++k) {
        const double z1 = block.z.z[block.binary() ? i : i * classes + k];
        ranked[k] = {block.binary() && k == 0 ? 1.0 - z1 : z1, k};
      }
      std::partial_sort(ranked.begin(), ranked.begin() + m, ranked.end(), [](const auto& a, const auto& b) {
        return a.first > b.first || (a.first == b.first && a.second < b.second);
      });
      // From the largest down: one order, whatever the order of the classes.
      // Rounding must not carry it past 1.
      double p = 0, hits = 0;
      for (int j = 0; j < m; ++j) {
        p += ranked[j].first;
        hits += block.votes.hits(i, ranked[j].second);
      }
      to.p[i] = std::min(p, 1.0);
      to.hits[i] = hits;
    }
  });
}

Forecasts collect(const Items& items, Event event, int threads) {
  return collect_with(items, threads,
                      [&](const ItemBlock& block, const Target& to) { write_event(block, event, to); });
}

Forecasts collect_class(const Items& items, int k, int threads) {
  return collect_with(items, threads,
                      [&](const ItemBlock& block, const Target& to) { write_class(block, k, to); });
}

SortedForecasts sort_forecasts(Forecasts f, int threads) {
  SortedColumn sorted = sort_column(f.p, threads);
  f.p = {};  // each column goes when it has been put in order
  SortedForecasts out{{std::move(sorted.values), {}, {}, {}}, std::move(sorted.order)};
  const auto permute = [&](std::vector<double>& from, std::vector<double>& to) {
    constexpr std::int64_t kBlock = 16384;
    resize_large(to, from.size(), threads);
    parallel_blocks(std::ssize(from), kBlock, threads, [&](int, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) to[i] = from[out.order[i]];
    });
    from = {};
  };
  permute(f.hits, out.columns.hits);
  permute(f.trials, out.columns.trials);
  permute(f.weight, out.columns.weight);
  return out;
}

Forecasts sort_in_place(Forecasts f, int threads) {
  if (!f.trials.empty() || !f.weight.empty()) return std::move(sort_forecasts(std::move(f), threads).columns);
  constexpr std::int64_t kBlock = 65536;
  const auto each = [&](auto body) {
    parallel_blocks(std::ssize(f.p), kBlock, threads, [&](int, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) body(f.p[i], f.hits[i]);
    });
  };
  // p is in [0, 1]: its highest bit is free, and the vote takes the lowest place.
  each([](double& p, double& hits) {
    p = std::bit_cast<double>(std::bit_cast<std::uint64_t>(p + 0.0) << 1 | std::uint64_t{hits != 0.0});
  });
  sort_packed(f.p, f.hits, 1, threads);
  each([](double& p, double& hits) {
    const auto word = std::bit_cast<std::uint64_t>(p);
    hits = word & 1;
    p = std::bit_cast<double>(word >> 1);
  });
  return f;
}

}  // namespace plumb
