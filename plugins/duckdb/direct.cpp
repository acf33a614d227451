// Metrics as aggregates: plumb_ece(p, y [, weight] [, options]) and others that need a table or a few sums,
// so that a hundred thousand groups fit in memory. The values are those of the same key of a state.
#include <algorithm>
#include <bit>
#include <memory>

#include "aggregate.hpp"
#include "plumb/metrics/streaming/calibration_error.hpp"
#include "plumb/metrics/streaming/proper_scores.hpp"
#include "plumb/numeric/fixed_point.hpp"
#include "rows.hpp"

namespace plumb::duckdb {
namespace {

void set_estimate(const Estimate& e, duckdb_vector result, idx_t row) {
  if (e.value) {
    values_of<double>(result)[row] = *e.value;
  } else {
    set_null(result, row);
  }
}

/// Blocks of a chunk, and the forecasts of the event.
struct ChunkReader {
  Rows rows;
  std::string options, known_options;
  Settings settings = read_settings("");
  ItemBlock block;
  Forecasts event;
  std::vector<double> hits;
  void read(duckdb_data_chunk chunk, const Signature& signature) {
    read_rows(chunk, signature, rows, options);
    if (options != known_options) {
      settings = read_settings(options);
      known_options = options;
    }
    if (rows.size() == 0) return;
    const Items items = items_of(rows, settings).items;
    read_items(items, 0, items.size(), block);
  }
};

constexpr std::uint64_t kOne = std::bit_cast<std::uint64_t>(1.0), kSign = std::uint64_t{1} << 63;

/// Labels as numbers; false where one is not 0 or 1, or a probability outside [0, 1] (-0 is left to the
/// general way). The bits of such numbers ascend with them, and subtracting whole numbers needs no
/// comparison, for which common vector instructions have no counterpart. Both columns come from memory:
/// fetched together, ahead.
template <class Label>
bool read_simple(const double* p, const Label* y, std::size_t rows, double* hits) {
  constexpr std::size_t kStep = 8, kAhead = 256;  // a line of memory; rows
  std::uint64_t outside = 0, all = 0;
  const auto read = [&](std::size_t i) {
    const auto bits = std::bit_cast<std::uint64_t>(p[i]);
    const auto label = static_cast<std::uint64_t>(y[i]);
    outside |= bits | (kOne - bits);
    all |= label;
    hits[i] = std::bit_cast<double>((0 - label) & kOne);
  };
  std::size_t i = 0;
  for (; i + kStep <= rows; i += kStep) {
    __builtin_prefetch(p + i + kAhead);
    __builtin_prefetch(y + i + kAhead);
    for (std::size_t j = i; j < i + kStep; ++j) read(j);
  }
  for (; i < rows; ++i) read(i);
  return (outside & kSign) == 0 && all <= 1;
}

/// The column of a probability and a label without more, in place; empty if a value is not as it should be,
/// of which the general way knows what to say.
ForecastsView simple_column(duckdb_data_chunk chunk, const Signature& s, std::vector<double>& hits) {
  if (s.several || s.observed == Signature::Observed::counts || s.weight || s.options) return {};
  const std::size_t rows = duckdb_data_chunk_get_size(chunk);
  duckdb_vector prediction = duckdb_data_chunk_get_vector(chunk, 0),
                observation = duckdb_data_chunk_get_vector(chunk, 1);
  if (!all_valid(prediction, rows) || !all_valid(observation, rows)) return {};
  const double* p = values_of<double>(prediction);
  hits.resize(rows);
  const bool good = s.observed == Signature::Observed::flag
                        ? read_simple(p, values_of<std::uint8_t>(observation), rows, hits.data())
                        : read_simple(p, values_of<std::int64_t>(observation), rows, hits.data());
  if (!good) return {};
  return {std::span(p, rows), hits, {}, {}, {}, true};
}

/// Single votes of weight one, in 32 bytes per bin.
struct SmallBin {
  uint128 p = 0;  ///< in units of 2^-50
  std::uint64_t votes = 0, hits = 0;
};

/// The bins of one group: small ones for single votes that come one by one, as in many groups. Nothing is
/// changed when a state is finished or merged into another.
class BinState {
 public:
  struct Function;
  explicit BinState(const Function& /*unused*/) {}

  void add(const ForecastsView& f, int bins) {
    constexpr std::size_t kLongRun = 64;
    if (bins_ == 0) bins_ = bins;
    if (bins_ != bins)
      throw InputError("the option bins differs between rows of a group; it must be the same in all rows");
    if (f.trials.empty() && f.weight.empty() && f.size() < kLongRun) return add_small(f);
    if (!builder_) builder_ = std::make_unique<TableBuilder>(BinEdges{bins_, true, {}});
    builder_->update(f);
  }
  void merge(const BinState& other) {
    if (other.bins_ == 0) return;
    if (bins_ == 0) bins_ = other.bins_;
    if (bins_ != other.bins_)
      throw InputError("the option bins differs between rows of a group; it must be the same in all rows");
    if (!other.small_.empty()) {
      small_.resize(other.small_.size());
      for (std::size_t b = 0; b < small_.size(); ++b) {
        small_[b].p += other.small_[b].p;
        small_[b].votes += other.small_[b].votes;
        small_[b].hits += other.small_[b].hits;
      }
    }
    if (other.table_) add_table(*other.table_);
    if (other.builder_) add_table(TableBuilder(*other.builder_).finish());
  }
  void finish(const Function& f, duckdb_vector result, idx_t row) const;

 private:
  void add_small(const ForecastsView& f) {
    if (small_.empty()) small_.resize(static_cast<std::size_t>(bins_));
    for (std::size_t i = 0; i < f.size(); ++i) {
      SmallBin& bin = small_[static_cast<std::size_t>(std::min(static_cast<int>(f.p[i] * bins_), bins_ - 1))];
      bin.p += static_cast<std::uint64_t>(to_fixed(f.p[i]));
      bin.votes += 1;
      bin.hits += f.hits[i] != 0 ? 1 : 0;
    }
  }
  void add_table(const ReliabilityTable& t) {
    if (table_) {
      table_->merge(t);
    } else {
      table_ = std::make_unique<ReliabilityTable>(t);
    }
  }
  [[nodiscard]] ReliabilityTable table() const {
    ReliabilityTable out = table_ ? *table_ : ReliabilityTable(BinEdges{bins_, true, {}});
    if (builder_) out.merge(TableBuilder(*builder_).finish());
    for (std::size_t b = 0; b < small_.size(); ++b) {
      const SmallBin& from = small_[b];
      Bin& to = out.bins[b];
      to.items += from.votes;
      to.votes += from.votes;
      to.w.add_scaled(from.votes, 0);
      to.wp.add_scaled(static_cast<int128>(from.p), -kFractionBits);
      to.wy.add_scaled(from.hits, 0);
      to.ww.add_scaled(from.votes, 0);
      to.wwyy.add_scaled(from.hits, 0);
    }
    return out;
  }

  int bins_ = 0;
  std::vector<SmallBin> small_;
  std::unique_ptr<TableBuilder> builder_;    // of long runs, weights and counts
  std::unique_ptr<ReliabilityTable> table_;  // of other states
};

struct BinMetric {
  const char* key;
  Estimate (*finish)(const ReliabilityTable&);
};
constexpr BinMetric kBinMetrics[] = {
    {"ece", ece}, {"ece_l2", ece_l2},     {"ece_l2_debiased", ece_l2_debiased},
    {"mce", mce}, {"mean_gap", mean_gap}, {"oe_ratio", oe_ratio}};

struct BinState::Function {
  Signature signature;
  const BinMetric* metric;
  void update(duckdb_data_chunk chunk, duckdb_aggregate_state* states) const {
    thread_local ChunkReader reader;
    ForecastsView event = simple_column(chunk, signature, reader.hits);
    if (event.size() == 0) {
      reader.read(chunk, signature);
      if (reader.rows.size() == 0) return;
      project(reader.block, Event::event, reader.event);
      event = reader.event.view();
    } else {
      reader.settings.options.bins = EvaluateOptions().bins;
      reader.known_options.clear();
    }
    const int bins = reader.settings.options.bins;
    each_run(states, event.size(), [&](duckdb_aggregate_state state, std::size_t begin, std::size_t end) {
      Aggregate<Function, BinState>::object(state, *this).add(event.slice(begin, end - begin), bins);
    });
  }
};

void BinState::finish(const Function& f, duckdb_vector result, idx_t row) const {
  const ReliabilityTable t = table();
  set_estimate(t.total().w.is_zero() ? Estimate::undefined("no votes") : f.metric->finish(t), result, row);
}

/// The part of a block's terms that belongs to rows [begin, end).
void slice_terms(const ScoreTerms& all, std::size_t begin, std::size_t end, ScoreTerms& out) {
  for (auto member : {&ScoreTerms::votes, &ScoreTerms::weight, &ScoreTerms::correct, &ScoreTerms::decided,
                      &ScoreTerms::agree, &ScoreTerms::nll, &ScoreTerms::brier, &ScoreTerms::zero,
                      &ScoreTerms::clipped, &ScoreTerms::mse_p, &ScoreTerms::kl_p, &ScoreTerms::kl_bad}) {
    const std::vector<double>& from = all.*member;
    (out.*member).clear();
    if (!from.empty())
      (out.*member)
          .assign(from.begin() + static_cast<std::ptrdiff_t>(begin),
                  from.begin() + static_cast<std::ptrdiff_t>(end));
  }
  out.shared = all.shared;
}

/// Sums of proper scores of one group.
class ScoreState {
 public:
  struct Function;
  explicit ScoreState(const Function& /*unused*/) {}
  void add(const ScoreTerms& terms, double clip) {
    if (begun_ && clip != clip_)
      throw InputError("the option clip differs between rows of a group; it must be the same in all rows");
    begun_ = true;
    clip_ = clip;
    update(sums_, terms);
  }
  void merge(const ScoreState& other) {
    if (begun_ && other.begun_ && clip_ != other.clip_)
      throw InputError("the option clip differs between rows of a group; it must be the same in all rows");
    if (other.begun_) clip_ = other.clip_;
    begun_ = begun_ || other.begun_;
    plumb::merge(sums_, other.sums_);
  }
  void finish(const Function& f, duckdb_vector result, idx_t row) const;

 private:
  bool begun_ = false;
  double clip_ = 0;
  ProperScores sums_;
};

constexpr const char* kScoreMetrics[] = {"accuracy", "agreement", "brier", "nll"};

struct ScoreState::Function {
  Signature signature;
  const char* key;
  void update(duckdb_data_chunk chunk, duckdb_aggregate_state* states) const {
    thread_local ChunkReader reader;
    thread_local ScoreTerms terms, part;
    reader.read(chunk, signature);
    if (reader.rows.size() == 0) return;
    const double clip = reader.settings.options.clip;
    score_terms(reader.block, {clip, {reader.settings.options.ties, 0}}, terms);
    each_run(states, reader.rows.size(),
             [&](duckdb_aggregate_state state, std::size_t begin, std::size_t end) {
               ScoreState& object = Aggregate<Function, ScoreState>::object(state, *this);
               if (end - begin == reader.rows.size()) return object.add(terms, clip);
               slice_terms(terms, begin, end, part);
               object.add(part, clip);
             });
  }
};

void ScoreState::finish(const Function& f, duckdb_vector result, idx_t row) const {
  Scores scores;
  plumb::finish(sums_, {clip_}, false, scores);
  set_estimate(scores.at(f.key), result, row);
}

}  // namespace

bool register_direct(duckdb_connection connection) {
  const auto all = [&]<class Function, class State>(const std::string& key, auto make) {
    const std::string name = "plumb_" + key;
    return register_aggregates(connection, name, [&](duckdb_aggregate_function_set set) {
      for (const Signature& s : signatures())
        Aggregate<Function, State>::add(
            set, name, make(s), [&](auto add) { add_parameters(s, add); }, DUCKDB_TYPE_DOUBLE);
    });
  };
  for (const BinMetric& metric : kBinMetrics)
    if (!all.template operator()<BinState::Function, BinState>(metric.key, [&](const Signature& s) {
          return BinState::Function{s, &metric};
        }))
      return false;
  for (const char* key : kScoreMetrics)
    if (!all.template operator()<ScoreState::Function, ScoreState>(key, [&](const Signature& s) {
          return ScoreState::Function{s, key};
        }))
      return false;
  return true;
}

}  // namespace plumb::duckdb
