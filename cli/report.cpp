#include <filesystem>

#include "commands.hpp"
#include "pages.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/mapped_file.hpp"
#include "shell/console.hpp"

namespace plumb::cli {
namespace {

constexpr const char* kReportExamples = R"(Examples:
  a result as a page
    plumb evaluate --probs probs.npy --labels labels.npy --bootstrap 200 --json raw.json
    plumb report raw.json -o report.html
  before and after calibration on one page, with names of your own
    plumb report raw.json calibrated.json --names "raw,temperature" -o report.html
  a figure for a paper
    plumb report raw.json calibrated.json --figure reliability=fig1.pdf --figure-width 85 --figure-font 8
  learning curves of training runs
    plumb report runs/ce/history.json runs/cape/history.json -o training.html
Results of several commands can be combined; results with the same name are shown as one model.)";

std::string read_text(const std::string& path) {
  const auto file = MappedFile::open(path);
  const auto bytes = file->bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A training history used as a result: its epochs, with the options of the run as settings.
std::string training_result(const std::string& history, const std::filesystem::path& folder) {
  const std::filesystem::path config = folder / "config.json";
  const std::string settings = std::filesystem::exists(config) ? read_text(config.string()) : "{}";
  return "{\"plumb\": \"" + std::string(version()) + "\", \"command\": \"train\", \"settings\": " + settings +
         ", \"history\": " + history + "}";
}

bool is_history(const std::filesystem::path& path, const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return path.filename() == "history.json" && first != std::string::npos && text[first] == '[';
}

/// The name of what was evaluated, or the file's name if two results would share it.
std::vector<NamedResult> named_results(const Args& files, const Args& names) {
  if (!names.empty() && names.size() != files.size())
    throw InputError("--names has " + counted(std::ssize(names), "name") + " for " +
                     counted(std::ssize(files), "result") + "; give one for each");
  std::vector<NamedResult> out;
  for (const std::string& file : files) {
    std::string text = read_text(file), name;
    if (is_history(file, text)) {
      const auto folder = std::filesystem::absolute(file).parent_path();
      text = training_result(text, folder);
      name = folder.filename().string();
    }
    out.push_back({name, std::move(text)});
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!names.empty()) {
      out[i].name = names[i];
      continue;
    }
    if (!out[i].name.empty()) continue;  // a run of training has its folder's name
    out[i].name = given_name(out[i].json);
    if (!out[i].name.empty()) continue;
    out[i].name =
        files.size() == 1 ? name_of_result(out[i].json) : std::filesystem::path(files[i]).stem().string();
    if (out[i].name.empty()) out[i].name = files[i];
  }
  return out;
}

}  // namespace

int report_command(const Args& args) {
  Flags flags("report", "Puts saved results (--json) on one HTML page.");
  Args files, names;
  std::string title;
  PageFlags pages_flags;
  flags.positional("RESULT", files, "files written by --json, or history.json of a training run");
  flags.text("-o", "FILE.html", pages_flags.report, "the page");
  add_plot_flags(flags, pages_flags);
  flags.list("--names", "a,b", names, "names of the results [the file's name]");
  flags.text("--title", "TEXT", title, "title of the page");
  flags.examples(kReportExamples);
  if (!flags.parse(args)) return kDone;
  if (files.empty())
    throw InputError("no result given; name one or more files that \"plumb ... --json FILE\" wrote");
  check_outputs({{"-o", pages_flags.report}}, files);  // before the page is found to be named like a result
  Pages pages(pages_flags);
  if (!pages.wanted())
    throw InputError("no output file given; add -o report.html or --figure reliability.pdf");
  check_outputs(pages.with_outputs({}, "-o"), files);
  const std::vector<NamedResult> results = named_results(files, names);
  pages.open();
  pages.finish(results, title);
  pages.say_written();
  return kDone;
}

}  // namespace plumb::cli
