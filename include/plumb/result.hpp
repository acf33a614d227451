// The result of a command as plain data; the report room turns it into a table, JSON or a page.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace plumb {

/// A value of a setting or of a table's cell; monostate is null, uint64 a seed.
using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<double>,
                           std::vector<std::string>, std::uint64_t>;

struct MetricResult {
  std::optional<double> value;
  std::string why;                  ///< when there is no value; options are marked (option_name.hpp)
  std::optional<double> low, high;  ///< with bootstrap replicates
  std::string interval;             ///< how low and high were found: "percentile", "inversion", "wilson", ...
  std::string interval_why;         ///< why draws gave no interval
  std::optional<double> null_mean, p_value;
  std::optional<std::int64_t> items;         ///< where not all items entered
  [[nodiscard]] std::string reason() const;  ///< `why` with options spelled as C++ does: .clip
};
using MetricResults = std::vector<std::pair<std::string, MetricResult>>;  ///< in the registry's order

/// InputError: the result has no `kind` of that name; the message suggests similar or existing names.
[[noreturn]] void refuse_name(std::string_view kind, std::string_view name,
                              const std::vector<std::string>& known);

/// The element whose `member` is `name`; refuses the name when there is none.
template <class T, class Member>
[[nodiscard]] const T& find_named(const std::vector<T>& list, Member member, std::string_view kind,
                                  std::string_view name) {
  std::vector<std::string> known;
  for (const T& one : list) {
    if (std::invoke(member, one) == name) return one;
    known.push_back(std::invoke(member, one));
  }
  refuse_name(kind, name, known);
}
/// By key, or by another name of it (registry.hpp).
[[nodiscard]] const MetricResult& find_result(const MetricResults& results, std::string_view key);

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<Value>> rows;
};

/// Nested values of one command: a value, a list, or named members in order.
struct Tree {
  using List = std::vector<Tree>;
  using Members = std::vector<std::pair<std::string, Tree>>;
  std::variant<Value, List, Members> node;
  Tree() = default;
  Tree(Value v) : node(std::move(v)) {}                // NOLINT: a value is a tree
  Tree(double v) : node(Value(v)) {}                   // NOLINT
  Tree(List list) : node(std::move(list)) {}           // NOLINT
  Tree(Members members) : node(std::move(members)) {}  // NOLINT
};

struct InputInfo {
  std::string flag, path;
  std::vector<std::int64_t> shape;
  std::string dtype, sha256;  ///< sha256 empty: not computed
};

/// Whether the probabilities (or variances) can be trusted, decided once and shown by every front end.
struct Verdict {
  std::string verdict;   ///< "trustworthy", "off", "cannot tell"; empty: none was reached, and `why` says why
  bool certain = false;  ///< "off": the lower bound exceeds the tolerance as well
  double tolerance = 0;
  std::optional<double> estimate, low, high;  ///< of the bias-corrected error; `high` decides trust
  std::optional<double> p_value;              ///< of the omnibus test of calibration
  std::optional<std::int64_t> needed;         ///< units that a calibrated model needs to pass
  std::string unit;                           ///< "items" or "groups"
  std::string why;  ///< of "trustworthy": why that says little, if an outcome is rarer than the tolerance
};

/// The number of the JSON's layout; results without one are of format 1. A reader accepts its own format and
/// older ones.
inline constexpr int kResultFormat = 2;

/// Of a metric in one slice: for itself, and simultaneous over all slices (resample/slices.hpp).
struct SliceInterval {
  double low = 0, high = 0;
  std::string interval;  ///< as in MetricResult
  double simultaneous_low = 0, simultaneous_high = 0;
};

struct GroupResult {
  std::string group;
  std::int64_t items = 0, votes = 0;
  std::vector<std::pair<std::string, std::optional<double>>> metrics;
  std::string by = {};  ///< the way to slice: a column or file
  std::vector<std::pair<std::string, SliceInterval>> intervals = {};
  std::vector<std::pair<std::string, std::string>> interval_why = {};  ///< of metrics that have a value alone
};

struct Result {
  std::string version, command;
  std::vector<std::string> argv;
  std::string task;  ///< "binary", "multiclass", "regression", "segmentation"
  std::int64_t items = 0, classes = 0, votes = 0;
  std::vector<std::string> class_names;
  std::vector<std::pair<std::string, Value>> settings;  ///< every option that can affect a number
  std::vector<InputInfo> inputs;
  MetricResults metrics, consensus;
  Verdict verdict;
  std::vector<std::pair<std::string, std::vector<std::optional<double>>>> per_class;
  std::vector<GroupResult> per_group;
  std::vector<GroupResult> per_rater;  ///< the model against each rater alone; `group` is the rater
  std::vector<std::pair<std::string, Table>> tables;
  Tree::Members sections;          ///< what a command adds of its own: "stability"
  std::vector<std::string> notes;  ///< notes for the reader: items left out, votes clipped

  /// The metric of that key; InputError when it was not computed.
  [[nodiscard]] const MetricResult& operator[](std::string_view key) const& {
    return find_result(metrics, key);
  }
  [[nodiscard]] MetricResult operator[](std::string_view key) && { return find_result(metrics, key); }
};

[[nodiscard]] const char* version();

}  // namespace plumb
