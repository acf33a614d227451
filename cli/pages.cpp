#include "pages.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <thread>

#include "plumb/data/check.hpp"
#include "plumb/io/sha256.hpp"
#include "plumb/report/json.hpp"
#include "shell/console.hpp"

extern char** environ;

namespace plumb::cli {
namespace {

/// A file without a name, which is gone when it is closed; -1 where there can be none.
class Unnamed {
 public:
  explicit Unnamed(std::string_view text) : file_(std::tmpfile()) {
    if (file_ == nullptr) return;
    const bool written = write_all(::fileno(file_), text) && ::lseek(::fileno(file_), 0, SEEK_SET) == 0;
    if (written) return;
    std::fclose(file_);
    file_ = nullptr;
  }
  Unnamed(const Unnamed&) = delete;
  Unnamed& operator=(const Unnamed&) = delete;
  ~Unnamed() {
    if (file_ != nullptr) std::fclose(file_);
  }
  [[nodiscard]] int descriptor() const { return file_ == nullptr ? -1 : ::fileno(file_); }

 private:
  std::FILE* file_;
};

/// Whether the child ends well within the time; it is ended when it does not.
bool ends_well(pid_t child, std::chrono::seconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      say("node did not finish drawing within " + std::to_string(limit.count()) + " seconds and was stopped");
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// True when node ran the script over the folder. Node is optional: without it the specs stand alone. The
/// script comes as standard input, so that nothing is left of it however this process ends.
bool draw(const std::string& script, const std::string& folder, std::chrono::seconds limit) {
  const Unnamed input(script);
  if (input.descriptor() < 0) return false;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.descriptor(), STDIN_FILENO);
  std::string node = "node", from_input = "-", where = folder;
  char* argv[] = {node.data(), from_input.data(), where.data(), nullptr};
  pid_t child = 0;
  const int error = posix_spawnp(&child, node.c_str(), &actions, nullptr, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 && ends_well(child, limit);
}

void write_plots(std::span<const NamedResult> results, const std::string& folder) {
  constexpr std::chrono::seconds kStart{20}, kOnePlot{1};
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw InputError("--plots " + folder + ": " + error.message());
  const std::vector<PlotFile> plots = render_plots(results);
  for (const PlotFile& plot : plots) write_file(folder + "/" + plot.name + ".vl.json", plot.json);
  const std::string code = plot_script();
  if (code.empty() || !draw(code, folder, kStart + kOnePlot * plots.size()))
    say("the plots were written as Vega-Lite specs only; SVG needs node on the PATH and a build with the report page");
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

void add_page_flags(Flags& flags, PageFlags& out) {
  flags.text("--report", "FILE.html", out.report, "write a report as one self-contained HTML file");
  flags.text("--plots", "DIR", out.plots,
             "write each plot as a Vega-Lite spec with its data, and as SVG if node is installed");
}

Pages::Pages(const PageFlags& flags) : flags_(flags) {
  if (flags.report == "-") throw InputError("--report writes a file; give it a name instead of -");
  const std::string& page = flags.report;
  const std::string extension = std::filesystem::path(page).extension().string();
  if (!extension.empty() && extension != ".html" && extension != ".htm")
    throw InputError("the report is an HTML page, and " + page + " does not look like a page; name it .html");
  if (page.empty() && !flags.title.empty())
    throw InputError("--title is the title of the page, and no page is asked for; add --report report.html");
  for (const char* file : {".png", ".svg", ".pdf", ".html", ".json", ".jpg"})
    if (flags.plots.ends_with(file))
      throw InputError("--plots takes a folder, which gets a file for each plot, and " + flags.plots +
                       " looks like a file; name a folder, as in --plots plots");
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
      "evaluated on the data it was fitted on; run plumb evaluate on other data for an unbiased result");
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
