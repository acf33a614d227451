// Rows of SQL as columns of the library.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api.hpp"
#include "plumb/api/items.hpp"
#include "plumb/evaluate/evaluate.hpp"

namespace plumb::duckdb {

/// What the arguments of a function are, in order: the prediction, the observation, then what there is of a
/// weight and a text of options.
struct Signature {
  bool several = false;  ///< a list of probabilities, one for each class
  enum class Observed { label, flag, counts } observed = Observed::label;
  bool weight = false, options = false;
};
[[nodiscard]] const std::vector<Signature>& signatures();
/// Adds the parameters with `add`, which takes a duckdb_logical_type.
template <class Add>
void add_parameters(const Signature& s, Add add) {
  if (s.several) {
    add(Type::list_of(DUCKDB_TYPE_DOUBLE).get());
  } else {
    add(Type(DUCKDB_TYPE_DOUBLE).get());
  }
  if (s.observed == Signature::Observed::counts) {
    add(Type::list_of(DUCKDB_TYPE_BIGINT).get());
  } else {
    add(Type(s.observed == Signature::Observed::flag ? DUCKDB_TYPE_BOOLEAN : DUCKDB_TYPE_BIGINT).get());
  }
  if (s.weight) add(Type(DUCKDB_TYPE_DOUBLE).get());
  if (s.options) add(Type(DUCKDB_TYPE_VARCHAR).get());
}

/// Some rows, kept: 16 bytes each for a probability and a label.
struct Rows {
  std::size_t width = 0;  ///< numbers per prediction; 1: the probability of class 1
  std::size_t votes = 0;  ///< numbers per observation; 1: a label, otherwise counts by class
  std::vector<double> p, weight;
  std::vector<std::int64_t> y;

  [[nodiscard]] std::size_t size() const { return width == 0 ? 0 : p.size() / width; }
  void clear();
  /// InputError if they have other numbers of classes.
  void append(const Rows& from, std::size_t begin, std::size_t end);
};

/// The rows of a chunk; NULL is refused. `options` gets the text of the options, which all rows share.
void read_rows(duckdb_data_chunk chunk, const Signature& s, Rows& out, std::string& options);

/// Options from a text like "bins=20, clip=1e-6, logits".
struct Settings {
  EvaluateOptions options;
  bool logits = false, normalize = false;
};
[[nodiscard]] Settings read_settings(std::string_view text);

/// Refers to the rows. One thread: DuckDB has its own.
[[nodiscard]] Items items_of(const Rows& rows, const Settings& settings);

/// Calls `run(state, begin, end)` for consecutive rows of one state; without groups that is all of them.
template <class Run>
void each_run(duckdb_aggregate_state* states, std::size_t rows, Run run) {
  std::uintptr_t differ = 0;  // a loop for vector instructions
  for (std::size_t i = 0; i < rows; ++i)
    differ |= reinterpret_cast<std::uintptr_t>(states[i]) ^ reinterpret_cast<std::uintptr_t>(states[0]);
  if (differ == 0 && rows > 0) return run(states[0], 0, rows);
  for (std::size_t begin = 0; begin < rows;) {
    std::size_t end = begin + 1;
    while (end < rows && states[end] == states[begin]) ++end;
    run(states[begin], begin, end);
    begin = end;
  }
}

}  // namespace plumb::duckdb
