// --report FILE.html, --pdf FILE, --plots DIR and --figure FILE: a result for people. Shared by every command
// that makes results.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "figures.hpp"
#include "output_paths.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/report/html.hpp"
#include "plumb/result.hpp"
#include "shell/flags.hpp"

namespace plumb::cli {

struct PageFlags {
  std::string report, plots, pdf;
  std::string title;  ///< of the page; empty: made from the names
  FigureFlags figures;
};

void add_page_flags(Flags& flags, PageFlags& out);
void add_plot_flags(Flags& flags, PageFlags& out);  ///< without the page itself
/// Whether a flag only says what is drawn, so that a command without it computes the same.
[[nodiscard]] bool is_page_flag(const std::string& flag);

/// Rows of the sample of items that a result carries when a report is asked for.
inline constexpr int kSampleItems = 2000;

/// The order is: construct (checks the flags), check_outputs (of output_paths.hpp, with the other outputs of
/// the command), open (before the work), finish.
class Pages {
 public:
  explicit Pages(const PageFlags& flags);
  [[nodiscard]] bool wanted() const {
    return !flags_.report.empty() || !flags_.pdf.empty() || !flags_.plots.empty() || figures_.wanted();
  }
  /// The outputs of a command and those of the pages, for check_outputs.
  [[nodiscard]] std::vector<OutputPath> with_outputs(std::vector<OutputPath> others,
                                                     const char* page_flag = "--report") const;
  void say_written() const;
  void open();
  /// Of the inputs, so that the report says what it was made from; nothing unless a report is wanted. `paths`
  /// are the files of `inputs`, one for each.
  void add_checksums(std::vector<InputInfo>& inputs, const std::vector<std::string>& paths) const;
  void finish(std::span<const NamedResult> results, const std::string& title = "");
  void finish(const Result& result);
  /// What `plumb calibrate fit` changed, on the fitting data, which the page says.
  void finish_fit(Result before, Result after, const std::string& method, const Args& args,
                  const std::vector<InputInfo>& inputs, const std::vector<std::string>& paths);

 private:
  PageFlags flags_;
  Figures figures_;
  std::string browser_;  // that prints
  std::optional<AtomicFile> report_, pdf_;
};

}  // namespace plumb::cli
