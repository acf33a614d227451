// plumb_state(p, y [, weight] [, options]) and plumb_merge(state): the bytes that "plumb evaluate
// --save-state" writes for the same rows, and their sum.
#include <memory>
#include <optional>

#include "aggregate.hpp"
#include "any_state.hpp"
#include "rows.hpp"

namespace plumb::duckdb {
namespace {

constexpr std::size_t kMostRows = 1 << 16;  // kept before they become sums, which take a megabyte

/// A small group is its rows; a larger one is sums and the rows since.
class GroupState {
 public:
  struct Function;
  explicit GroupState(const Function& /*unused*/) {}

  void add(const Rows& rows, std::size_t begin, std::size_t end, const std::string& options) {
    take_options(options);
    rows_.append(rows, begin, end);
    if (rows_.size() >= kMostRows) flush();
  }
  void merge(const GroupState& other) {
    take_options(other.options_);
    if (other.rows_.size() > 0) rows_.append(other.rows_, 0, other.rows_.size());
    if (rows_.size() >= kMostRows) flush();
    if (!other.sums_) return;
    if (!sums_) sums_ = std::make_unique<Accumulator>(read_settings(options_).options);
    sums_->merge(*other.sums_);
  }
  [[nodiscard]] std::string to_bytes() const {
    GroupState all(*this);
    all.flush();
    return all.sums_->to_bytes();
  }
  void finish(const Function& /*unused*/, duckdb_vector result, idx_t row) const {
    const std::string bytes = to_bytes();
    duckdb_vector_assign_string_element_len(result, row, bytes.data(), bytes.size());
  }

 private:
  GroupState(const GroupState& other) : begun_(other.begun_), options_(other.options_), rows_(other.rows_) {
    if (other.sums_) sums_ = std::make_unique<Accumulator>(*other.sums_);
  }
  void take_options(const std::string& options) {
    if (begun_ && options != options_)
      throw InputError("the options are \"" + options_ + "\" in one row and \"" + options +
                       "\" in another; they must be the same in all rows");
    if (!begun_) options_ = options;
    begun_ = true;
  }
  void flush() {
    const Settings settings = read_settings(options_);
    if (!sums_) sums_ = std::make_unique<Accumulator>(settings.options);
    if (rows_.size() == 0) return;
    sums_->update(items_of(rows_, settings));
    rows_ = {};
  }

  bool begun_ = false;
  std::string options_;
  Rows rows_;
  std::unique_ptr<Accumulator> sums_;
};

struct GroupState::Function {
  Signature signature;
  void update(duckdb_data_chunk chunk, duckdb_aggregate_state* states) const {
    thread_local Rows rows;
    thread_local std::string options;
    read_rows(chunk, signature, rows, options);
    each_run(states, rows.size(), [&](duckdb_aggregate_state state, std::size_t begin, std::size_t end) {
      Aggregate<Function, GroupState>::object(state, *this).add(rows, begin, end, options);
    });
  }
};

class MergedState {
 public:
  struct Function;
  explicit MergedState(const Function& /*unused*/) {}
  void add(std::string_view bytes) { add(AnyState(bytes)); }
  void merge(const MergedState& other) {
    if (other.sum_) add(AnyState(*other.sum_));
  }
  void finish(const Function& /*unused*/, duckdb_vector result, idx_t row) const {
    const std::string bytes = sum_->to_bytes();
    duckdb_vector_assign_string_element_len(result, row, bytes.data(), bytes.size());
  }

 private:
  void add(AnyState state) {
    if (sum_) {
      sum_->merge(state);
    } else {
      sum_ = std::move(state);
    }
  }
  std::optional<AnyState> sum_;
};

struct MergedState::Function {
  void update(duckdb_data_chunk chunk, duckdb_aggregate_state* states) const {
    duckdb_vector bytes = duckdb_data_chunk_get_vector(chunk, 0);
    const idx_t rows = duckdb_data_chunk_get_size(chunk);
    for (idx_t i = 0; i < rows; ++i)  // NULL is the state of a group without rows
      if (!is_null(bytes, i))
        Aggregate<Function, MergedState>::object(states[i], *this).add(text_at(bytes, i));
  }
};

}  // namespace

bool register_states(duckdb_connection connection) {
  return register_aggregates(connection, "plumb_state",
                             [](duckdb_aggregate_function_set set) {
                               for (const Signature& s : signatures())
                                 Aggregate<GroupState::Function, GroupState>::add(
                                     set, "plumb_state", {s}, [&](auto add) { add_parameters(s, add); },
                                     DUCKDB_TYPE_BLOB);
                             }) &&
         register_aggregates(connection, "plumb_merge", [](duckdb_aggregate_function_set set) {
           Aggregate<MergedState::Function, MergedState>::add(
               set, "plumb_merge", {}, [](auto add) { add(Type(DUCKDB_TYPE_BLOB).get()); }, DUCKDB_TYPE_BLOB);
         });
}

}  // namespace plumb::duckdb
