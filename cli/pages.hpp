// --report FILE.html and --plots DIR: a result for people. Shared by every command that makes results.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "output_paths.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/report/html.hpp"
#include "plumb/result.hpp"
#include "shell/flags.hpp"

namespace plumb::cli {

struct PageFlags {
  std::string report, plots;
  std::string title;  ///< of the page; empty: made from the names
};

void add_page_flags(Flags& flags, PageFlags& out);

/// Rows of the sample of items that a result carries when a report is asked for.
inline constexpr int kSampleItems = 2000;

/// The order is: construct (checks the flags), check_outputs (of output_paths.hpp, with the other outputs of
/// the command), open (before the work), finish.
class Pages {
 public:
  explicit Pages(const PageFlags& flags);
  [[nodiscard]] bool wanted() const { return !flags_.report.empty() || !flags_.plots.empty(); }
  void open();
  /// Of the inputs, so that the report says what it was made from; nothing unless a report is wanted. `paths`
  /// are the files of `inputs`, one for each.
  void add_checksums(std::vector<InputInfo>& inputs, const std::vector<std::string>& paths) const;
  void finish(std::span<const NamedResult> results, const std::string& title = "");
  void finish(const Result& result);
  /// What `plumb calibrate fit` changed, on the data of the fit itself, which the page says.
  void finish_fit(Result before, Result after, const std::string& method, const Args& args,
                  const std::vector<InputInfo>& inputs, const std::vector<std::string>& paths);

 private:
  PageFlags flags_;
  std::optional<AtomicFile> report_;
};

}  // namespace plumb::cli
