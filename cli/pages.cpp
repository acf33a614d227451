#include "pages.hpp"

#include <spawn.h>
#include <sys/wait.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>

#include "plumb/data/check.hpp"
#include "plumb/io/sha256.hpp"
#include "plumb/report/json.hpp"
#include "shell/console.hpp"

extern char** environ;

namespace plumb::cli {
namespace {

/// True when node ran the script over the folder. Node is optional: without it the specs stand alone.
bool draw(const std::string& script, const std::string& folder) {
  std::string node = "node", a = script, b = folder;
  char* argv[] = {node.data(), a.data(), b.data(), nullptr};
  pid_t child = 0;
  if (posix_spawnp(&child, node.c_str(), nullptr, nullptr, argv, environ) != 0) return false;
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void write_plots(std::span<const NamedResult> results, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw InputError("--plots " + folder + ": " + error.message());
  const std::vector<PlotFile> plots = render_plots(results);
  for (const PlotFile& plot : plots) write_file(folder + "/" + plot.name + ".vl.json", plot.json);
  const std::string code = plot_script();
  bool drawn = false;
  if (!code.empty()) {
    const std::string script = folder + "/.plumb-draw.cjs";
    write_file(script, code);
    drawn = draw(script, folder);
    std::filesystem::remove(script, error);
  }
  if (!drawn)
    say("the plots were written as Vega-Lite specs alone: drawing them as SVG needs node on the PATH, and a "
        "build with the report page");
}

/// "2026-11-18", of SOURCE_DATE_EPOCH where a build wants the same bytes every day.
std::string today() {
  std::time_t now = std::time(nullptr);
  if (const char* fixed = std::getenv("SOURCE_DATE_EPOCH"); fixed != nullptr) now = std::atoll(fixed);
  std::tm date{};
  char text[16] = "";
  if (gmtime_r(&now, &date) != nullptr) std::strftime(text, sizeof text, "%Y-%m-%d", &date);
  return text;
}

}  // namespace

void check_distinct(std::initializer_list<std::pair<const char*, std::string>> outputs) {
  for (const auto* a = outputs.begin(); a != outputs.end(); ++a) {
    for (const auto* b = a + 1; b != outputs.end(); ++b) {
      std::error_code ignored;
      if (a->second.empty() || b->second.empty() || a->second == "-") continue;
      if (a->second == b->second || (std::filesystem::is_regular_file(a->second, ignored) &&
                                     std::filesystem::equivalent(a->second, b->second, ignored)))
        throw InputError(std::string(a->first) + " and " + b->first + " name the same file " + b->second +
                         "; give them different names");
    }
  }
}

void check_not_over(const std::string& flag, const std::string& path,
                    const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code ignored;
    if (!path.empty() && std::filesystem::equivalent(path, input, ignored))
      throw InputError(flag + " would write over the input " + input + "; give it another name");
  }
}

void add_page_flags(Flags& flags, PageFlags& out) {
  flags.text("--report", "FILE.html", out.report, "a page to read, in one file that needs no network");
  flags.text("--plots", "DIR", out.plots,
             "each plot as a Vega-Lite spec with its data, and as SVG where node is");
}

Pages::Pages(const PageFlags& flags) : flags_(flags) {
  if (flags.report == "-") throw InputError("--report writes a file; give it a name instead of -");
  for (const char* other : {".txt", ".pdf", ".csv", ".md", ".png", ".svg"})
    if (flags.report.ends_with(other))
      throw InputError("the page is HTML, and " + flags.report +
                       " would be opened as something else; name it .html");
  if (!flags.report.empty() && !has_page()) throw InputError(why_no_page());
}

void Pages::open() {
  if (!flags_.report.empty()) report_.emplace(flags_.report);
}

void Pages::add_checksums(std::vector<InputInfo>& inputs, const std::vector<std::string>& paths) const {
  if (!wanted()) return;
  std::map<std::string, std::string> known;
  for (std::size_t i = 0; i < inputs.size() && i < paths.size(); ++i) {
    std::string& sum = known[paths[i]];
    if (sum.empty()) sum = sha256_file(paths[i]);
    inputs[i].sha256 = sum;
  }
}

void Pages::finish(std::span<const NamedResult> results, const std::string& title) {
  if (report_) report_->write(render_html(results, {title, kFlag, today()}));
  if (!flags_.plots.empty()) write_plots(results, flags_.plots);
  if (report_) report_->commit();
}

void Pages::finish_fit(Result before, Result after, const std::string& method, const Args& args,
                       const std::vector<InputInfo>& inputs, const std::vector<std::string>& paths) {
  for (Result* r : {&before, &after}) {
    r->command = "calibrate";
    r->argv = {"plumb", "calibrate", "fit"};
    r->argv.insert(r->argv.end(), args.begin(), args.end());
    r->inputs = inputs;
    add_checksums(r->inputs, paths);
  }
  after.notes.emplace_back(
      "judged on the data that it was fitted on: plumb evaluate on other data tells what it is worth");
  const std::vector<NamedResult> results{{"before", render_json(before)}, {method, render_json(after)}};
  finish(results);
}

void Pages::finish(const Result& result) {
  if (!wanted()) return;
  const std::string json = render_json(result);
  const NamedResult one{name_of_result(json), json};
  finish({&one, 1}, flags_.title);
}

}  // namespace plumb::cli
