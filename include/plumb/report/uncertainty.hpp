// The result of `plumb uncertainty`, for JSON, for a spreadsheet and for the terminal.
#pragma once

#include <string>
#include <vector>

#include "plumb/report/terminal.hpp"
#include "plumb/uncertainty/uncertainty.hpp"

namespace plumb {

/// Names of items and classes; empty: numbers.
struct ItemNames {
  Names ids;
  std::vector<std::string> classes;
};

/// Section "measures" of the JSON: {name: {eor, binned_brier, ..., pooled_bins, thresholds, bins}}.
[[nodiscard]] Tree measures_section(const UncertaintyResult& r);
/// Section "suspects": [{id, row, label, prediction, agreement, score}], and `image` from `pictures`: a data
/// URI for each suspect, or "" for none.
[[nodiscard]] Tree suspects_section(const UncertaintyResult& r, const ItemNames& names,
                                    const std::vector<std::string>& pictures = {});
/// The same as comma-separated text with a header.
[[nodiscard]] std::string suspects_csv(const UncertaintyResult& r, const ItemNames& names);
/// Notes for the reader: bins that were pooled or are too small to trust, items left out.
[[nodiscard]] std::vector<std::string> uncertainty_notes(const UncertaintyResult& r,
                                                         const UncertaintyOptions& o);
[[nodiscard]] std::string render_uncertainty(const UncertaintyResult& r, const ItemNames& names,
                                             const std::vector<std::string>& notes,
                                             const TerminalOptions& options);

}  // namespace plumb
