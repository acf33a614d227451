// --report FILE.html and --plots DIR: a result for people. Shared by every command that makes results.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

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

/// InputError when two of the outputs (flag, path) are one file.
void check_distinct(std::initializer_list<std::pair<const char*, std::string>> outputs);

/// InputError when `path` is one of the inputs.
void check_not_over(const std::string& flag, const std::string& path, const std::vector<std::string>& inputs);

/// Rows of the sample of items that a result carries when a report is asked for.
inline constexpr int kSampleItems = 2000;

/// The order is: construct (checks the flags), check_not_over, open (before the work), finish.
class Pages {
 public:
  explicit Pages(const PageFlags& flags);
  [[nodiscard]] bool wanted() const { return !flags_.report.empty() || !flags_.plots.empty(); }
  void check_not_over(const std::vector<std::string>& inputs) const {
    cli::check_not_over("--report", flags_.report, inputs);
  }
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
