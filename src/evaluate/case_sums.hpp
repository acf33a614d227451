// What one case adds to all: plain data, measured once, and saved by a run that can be resumed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "evaluate/case_ladders.hpp"
#include "evaluate/case_overlap.hpp"
#include "evaluate/ladder_scores.hpp"
#include "evaluate/product_set.hpp"
#include "plumb/evaluate/cases.hpp"
#include "plumb/evaluate/state.hpp"

namespace plumb::detail {

/// Of one rater alone.
inline constexpr ProductSet kByRater{Product::event_table, Product::class_tables, Product::proper_scores,
                                     Product::event_log};
using KeyedValues = std::vector<std::pair<std::string, std::optional<double>>>;

struct NamedSums {
  std::string name;
  StreamSums sums;
  std::optional<Ladder> ladder = {};  ///< where a metric is read off it
};

/// Part of a case.
struct RegionRow {
  std::string name;
  std::int64_t items = 0, votes = 0;
  KeyedValues metrics;
};

/// A case in the table of cases.
struct CaseRow {
  std::string name, unit;
  std::vector<std::string> slices;
  std::int64_t items = 0, votes = 0;
  KeyedValues metrics;
  std::vector<std::string> raters;
  std::optional<CaseOverlap> overlap;
  double voxel_mm3 = 0;
  std::vector<RegionRow> regions;
};

struct CaseSums {
  EvaluateState state;
  CaseLadders ladders;            ///< of votes, majority and classes, where a metric is read off them
  std::vector<NamedSums> raters;  ///< in the order of the columns
  std::vector<NamedSums> regions;
  CaseRow row;
  std::int64_t even = 0;  ///< see Case
};

/// `keep_state`: all that streams is wanted, not only what the metrics need.
[[nodiscard]] CaseSums measure_case(const Case& c, const CasesOptions& options, bool keep_state);

/// As bytes, for a run that can be resumed; InputError if they are damaged or do not fit.
[[nodiscard]] std::string serialize(const CaseSums& sums);
[[nodiscard]] CaseSums deserialize_case(std::string_view bytes, const std::string& name);

}  // namespace plumb::detail
