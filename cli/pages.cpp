#include "pages.hpp"

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>

#include "browser.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/sha256.hpp"
#include "plumb/report/json.hpp"
#include "shell/console.hpp"

namespace plumb::cli {
namespace {

/// Specs with their data, and drawings of them where they can be made.
void write_plots(const std::vector<PlotFile>& plots, const std::string& folder, const Figures& figures) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw InputError("--plots " + folder + ": " + error.message());
  for (const PlotFile& plot : plots) write_file(folder + "/" + plot.name + ".vl.json", plot.json);
  try {
    check_figure_plugins(false);
  } catch (const InputError& e) {
    say(std::string("the plots were written as Vega-Lite specs only, without SVG: ") + e.what());
    return;
  }
  const FigureEngine engine;
  for (const PlotFile& plot : plots)
    write_file(folder + "/" + plot.name + ".svg", engine.svg(plot.json, figures.style_of(plot)));
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
  add_plot_flags(flags, out);
}

void add_plot_flags(Flags& flags, PageFlags& out) {
  flags.text("--pdf", "FILE", out.pdf, "write the report as a PDF of one page, with Chromium");
  flags.text("--plots", "DIR", out.plots, "write each plot as a Vega-Lite spec with its data, and as SVG");
  add_figure_flags(flags, out.figures);
}

bool is_page_flag(const std::string& flag) {
  return flag == "--report" || flag == "--pdf" || flag == "--plots" || flag.starts_with("--figure");
}

Pages::Pages(const PageFlags& flags) : flags_(flags), figures_(flags.figures, !flags.plots.empty()) {
  if (flags.report == "-") throw InputError("--report writes a file; give it a name instead of -");
  const std::string& page = flags.report;
  const std::string extension = std::filesystem::path(page).extension().string();
  if (!extension.empty() && extension != ".html" && extension != ".htm")
    throw InputError("--report writes an HTML page; give it a name that ends in .html, not " + page);
  if (!flags.pdf.empty() && std::filesystem::path(flags.pdf).extension() != ".pdf")
    throw InputError("--pdf writes a PDF; give it a name that ends in .pdf, not " + flags.pdf);
  if (page.empty() && flags.pdf.empty() && !flags.title.empty())
    throw InputError("--title is the title of the page, and no page was requested; add --report report.html");
  for (const char* file : {".png", ".svg", ".pdf", ".html", ".json", ".jpg"})
    if (flags.plots.ends_with(file))
      throw InputError("--plots takes a folder, which gets a file for each plot, and " + flags.plots +
                       " looks like a file; name a folder, as in --plots plots");
  if (!(flags.report.empty() && flags.pdf.empty()) && !has_page()) throw InputError(why_no_page());
  if (!flags.pdf.empty()) browser_ = find_browser();
}

void Pages::open() {
  if (!flags_.report.empty()) report_.emplace(flags_.report);
  if (!flags_.pdf.empty()) pdf_.emplace(flags_.pdf);
  figures_.open();
}

std::vector<OutputPath> Pages::with_outputs(std::vector<OutputPath> others, const char* page_flag) const {
  others.push_back({page_flag, flags_.report});
  others.push_back({"--pdf", flags_.pdf});
  others.push_back({"--plots", flags_.plots});
  for (const std::string& path : figures_.paths()) others.push_back({"--figure", path});
  return others;
}

void Pages::say_written() const {
  for (const std::string& path : {flags_.report, flags_.pdf})
    if (!path.empty()) say("wrote " + path);
  if (!flags_.plots.empty()) say("wrote the plots to " + flags_.plots);
  for (const std::string& path : figures_.paths()) say("wrote " + path);
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
  if (report_ || pdf_) {
    const std::string page = render_html(results, {title, kFlag, today()});
    if (report_) report_->write(page);
    if (pdf_) pdf_->write(print_page(browser_, page, today()));
  }
  std::vector<PlotFile> plots;
  if (!flags_.plots.empty() || figures_.wanted()) plots = render_plots(results);
  if (!flags_.plots.empty()) write_plots(plots, flags_.plots, figures_);
  figures_.finish(plots);
  for (auto* file : {&report_, &pdf_})
    if (*file) (*file)->commit();
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
