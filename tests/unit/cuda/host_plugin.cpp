// The plugin of a CUDA device without one: the arithmetic of its kernels, compiled for the host. Its threads
// run one after the other and take as many rows each as a thread of a device may.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "cuda/emit.hpp"
#include "plumb/cuda/plugin.hpp"

namespace plumb::cuda {
namespace {

class Sums {
 public:
  explicit Sums(const PlumbCudaPlan& plan)
      : plan_(plan),
        words_(word_of(table_count(plan.classes, plan.by_class != 0), plan.bins, 0)),
        values_(plan.classes + 1) {
    words_[kBadRow] = words_[kBadLabel] = kNone;
  }

  void add(const PlumbCudaRows& rows) {
    columns_ = rows.columns;
    if (rows.probs_type == PLUMB_CUDA_FLOAT) {
      add_of(static_cast<const float*>(rows.probs), rows);
    } else {
      add_of(static_cast<const double*>(rows.probs), rows);
    }
    first_row_ += rows.rows;
  }
  void read(std::uint64_t* words, PlumbCudaBad* bad, double* bad_values, std::int64_t columns) const {
    std::copy(words_.begin(), words_.end(), words);
    const auto row = [](std::uint64_t i) { return i == kNone ? -1 : static_cast<std::int64_t>(i); };
    *bad = {row(words_[kBadRow]), row(words_[kBadLabel]), columns_, values_[columns_]};
    std::copy_n(values_.begin(), std::min(columns, columns_), bad_values);
  }
  [[nodiscard]] std::size_t size() const { return words_.size(); }

 private:
  struct Block {
    std::vector<std::uint64_t> sum, squares, hit_sum;
    std::vector<std::uint32_t> counts;
    Block(int bins, bool shares)
        : sum(bins), squares(shares ? bins : 0), hit_sum(shares ? bins : 0), counts(bins) {}
    Columns columns() {
      return {sum.data(), squares.empty() ? nullptr : squares.data(),
              hit_sum.empty() ? nullptr : hit_sum.data(), counts.data(), 1};
    }
  };

  template <class P>
  void add_of(const P* p, const PlumbCudaRows& rows) {
    if (rows.labels_type == PLUMB_CUDA_BYTE) {
      add_typed(p, static_cast<const std::uint8_t*>(rows.labels), rows);
    } else if (rows.labels_type == PLUMB_CUDA_INT) {
      add_typed(p, static_cast<const std::int32_t*>(rows.labels), rows);
    } else {
      add_typed(p, static_cast<const std::int64_t*>(rows.labels), rows);
    }
  }
  template <class P, class L>
  void add_typed(const P* p, const L* y, const PlumbCudaRows& rows) {
    const bool classes = plan_.by_class != 0;
    if (plan_.classes == 2) {
      classes ? add_column<kScores | kLog | kShares>(p, y, rows, 1, 0)
              : add_column<kScores | kLog>(p, y, rows, 1, 0);
      if (classes) add_column<kFlip | kShares>(p, y, rows, 0, 1);
    } else {
      add_rows(p, y, rows);
      for (int k = 0; classes && k < plan_.classes; ++k) add_column<kShares>(p + k, y, rows, k, 1 + k);
    }
    const std::uint64_t row = words_[kBadRow] - first_row_, label = words_[kBadLabel] - first_row_;
    if (words_[kBadRow] != kNone && row < static_cast<std::uint64_t>(rows.rows))
      std::copy_n(p + row * rows.columns, rows.columns, values_.begin());
    if (words_[kBadLabel] != kNone && label < static_cast<std::uint64_t>(rows.rows))
      values_[columns_] = static_cast<double>(y[label]);
  }

  template <int kWork, class P, class L>
  void add_column(const P* p, const L* y, const PlumbCudaRows& rows, int cls, int table) {
    for (std::int64_t begin = 0; begin < rows.rows; begin += kThreadRows) {
      Block block(plan_.bins, (kWork & kShares) != 0);
      ColumnCounter<P, L, kWork> counter{block.columns(), plan_.bins, static_cast<std::uint32_t>(cls),
                                         static_cast<std::uint32_t>(plan_.classes)};
      const std::int64_t end = std::min(begin + kThreadRows, rows.rows);
      std::int64_t i = begin;
      for (; rows.columns == 1 && i + 4 <= end; i += 4)
        counter.add_four({p[i], p[i + 1], p[i + 2], p[i + 3]}, {y[i], y[i + 1], y[i + 2], y[i + 3]},
                         first_row_ + i);
      for (; i < end; ++i) {
        P value = p[i * rows.columns];
        if (plan_.classes == 2 && rows.columns == 2) {
          const P one = p[2 * i + 1];
          const double off = static_cast<double>(value) + static_cast<double>(one) - 1;
          const bool good = value >= 0 && value <= 1 && (off < 0 ? -off : off) <= 1e-3 + 1e-12;
          value = good ? one : P{-1};
        }
        counter.add(value, y[i], first_row_ + i);
      }
      finish(counter, block, table);
    }
  }
  template <class P, class L>
  void add_rows(const P* p, const L* y, const PlumbCudaRows& rows) {
    for (std::int64_t begin = 0; begin < rows.rows; begin += kThreadRows) {
      Block block(plan_.bins, false);
      RowCounter<L, kLog> counter{block.columns(), plan_.bins, static_cast<std::uint32_t>(plan_.classes)};
      for (std::int64_t i = begin; i < std::min(begin + kThreadRows, rows.rows); ++i) {
        const P* const row = p + i * plan_.classes;
        RowLane lane[kLanes];
        for (int j = 0; j < plan_.classes; ++j) lane[j % kLanes].add(static_cast<double>(row[j]), j);
        for (int o = kLanes / 2; o > 0; o /= 2)
          for (int l = 0; l < o; ++l) lane[l].fold(lane[l + o]);
        const RowLane all = plan_.classes <= kMostShort ? whole_row(row, plan_.classes) : lane[0];
        if (counter.check(all, y[i], first_row_ + i))
          counter.add(all, y[i], static_cast<double>(row[static_cast<std::int64_t>(y[i])]));
      }
      finish(counter, block, 0);
    }
  }
  template <class Counter>
  void finish(const Counter& counter, Block& block, int table) {
    const Columns columns = block.columns();
    for (int b = 0; b < plan_.bins; ++b) {
      BinWords w;
      w.take(columns, b);
      for (int i = 0; i < kBinWords; ++i) words_[word_of(table, plan_.bins, b) + i] += w.word[i];
    }
    emit_scalars(counter, columns.total(plan_.bins),
                 [this](std::int64_t word, std::uint64_t x) { words_[word] += x; });
    words_[kBadRow] = std::min(words_[kBadRow], counter.bad.row);
    words_[kBadLabel] = std::min(words_[kBadLabel], counter.bad.label);
  }

  PlumbCudaPlan plan_;
  std::vector<std::uint64_t> words_;
  std::vector<double> values_;
  std::int64_t first_row_ = 0, columns_ = 1;
};

int describe(int32_t device, PlumbCudaDevice* out, PlumbCudaError* error) {
  if (device != 0) {
    std::snprintf(error->text, sizeof error->text,
                  "there is no CUDA device %d; this machine has one, number 0", device);
    return 1;
  }
  *out = {"the host", 7, 0, 13000, 13000, 0};
  return 0;
}
int create(const PlumbCudaPlan* plan, void** sums, PlumbCudaError* error) {
  PlumbCudaDevice ignored;
  if (describe(plan->device, &ignored, error) != 0) return 1;
  *sums = new Sums(*plan);
  return 0;
}
int add(void* sums, const PlumbCudaRows* rows, PlumbCudaError* /*error*/) {
  static_cast<Sums*>(sums)->add(*rows);
  return 0;
}
int read(void* sums, uint64_t* words, int64_t count, PlumbCudaBad* bad, double* bad_values, int64_t columns,
         PlumbCudaError* error) {
  const auto* s = static_cast<const Sums*>(sums);
  if (count != static_cast<int64_t>(s->size())) {
    std::snprintf(error->text, sizeof error->text, "the sums were made for other bins");
    return 1;
  }
  s->read(words, bad, bad_values, columns);
  return 0;
}
void drop(void* sums) { delete static_cast<Sums*>(sums); }
int allocate(int32_t /*device*/, int64_t bytes, void** memory, PlumbCudaError* /*error*/) {
  *memory = ::operator new(static_cast<std::size_t>(bytes));
  return 0;
}
int copy(int32_t /*device*/, void* to, const void* from, int64_t bytes, PlumbCudaError* /*error*/) {
  if (bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(bytes));
  return 0;
}
void release(int32_t /*device*/, void* memory) { ::operator delete(memory); }

constexpr PlumbCudaPlugin kPlugin{"host", describe, create, add, read, drop, allocate, copy, release};

}  // namespace
}  // namespace plumb::cuda

extern "C" {
__attribute__((visibility("default"))) int plumb_plugin_abi() { return PLUMB_CUDA_INTERFACE; }
__attribute__((visibility("default"))) const PlumbCudaPlugin* plumb_cuda_plugin() {
  return &plumb::cuda::kPlugin;
}
}
