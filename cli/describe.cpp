#include "plumb/io/describe.hpp"

#include <algorithm>
#include <sstream>

#include "commands.hpp"
#include "describe_next.hpp"
#include "plumb/data/check.hpp"
#include "plumb/data/utf8.hpp"
#include "plumb/io/load.hpp"
#include "plumb/numeric/narrow.hpp"
#include "shell/console.hpp"

namespace plumb::cli {
namespace {

std::string facts(const ArrayInfo& a) {
  std::vector<std::string> parts{std::string(dtype_name(a.dtype)) + " " + show_shape(a.shape)};
  if (a.fortran) parts.emplace_back("Fortran order");
  if (a.swapped) parts.emplace_back("the other endianness");
  if (a.finite > 0) parts.push_back("from " + show(a.min) + " to " + show(a.max));
  if (a.integers && a.finite > 0) parts.emplace_back("whole numbers");
  if (a.rows_sum_to_one) parts.emplace_back("rows sum to 1");
  if (a.has_nan) parts.emplace_back("some NaN");
  if (a.has_infinite) parts.emplace_back("some infinite");
  // In a list with commas, a number has none.
  if (a.missing > 0)
    parts.push_back(std::to_string(a.missing) + (a.missing == 1 ? " empty value" : " empty values"));
  if (!a.distinct.empty()) parts.push_back("values " + separated(a.distinct));
  return separated(parts);
}

std::string indented(const std::string& text) {
  constexpr int kPiped = 10000;  // another program reads whole lines
  return broken("    " + detail::visible(text), stdout_width(kPiped), 6) + "\n";
}

std::string describe(const ArrayInfo& a) {
  using detail::visible;  // names and values come from the file
  std::string out = visible(a.name) + "\n";
  if (!a.problem.empty()) return out + indented("cannot be used: " + a.problem);
  out += indented(facts(a));
  for (const ArrayUse& use : a.uses)
    out += indented("could be " + spell(opt(use.option), kFlag) + ": " + use.why);
  return out;
}

/// Of an .npz:array or a .csv:column that array alone;
/// a selection of several columns is looked up by loading it.
std::vector<ArrayInfo> described(const Source& source, int threads) {
  std::vector<ArrayInfo> all = describe_file(source.path, threads);
  if (source.selection.empty()) return all;
  const auto asked = [&](const ArrayInfo& a) { return a.member == source.selection; };
  const auto one = std::find_if(all.begin(), all.end(), asked);
  if (one != all.end()) return {*one};
  // Lists what exists when the name is wrong.
  (void)load_one(source, {Want::either, true, threads});
  throw InputError(source.path + ":" + source.selection + " selects several columns; describe " +
                   source.path + ", or one of its columns");
}

}  // namespace

int describe_command(const Args& args) {
  Flags flags(
      "describe",
      "Shows what a file contains: arrays, shapes, types, ranges, and the flags it could be used with.");
  Args files;
  std::int64_t threads = 0;
  flags.positional("FILE", files,
                   ".npy, .npz, .csv, .tsv, .jsonl, .parquet, .nii.gz or .png files, or quoted patterns");
  flags.integer("--threads", threads, "number of threads; 0: all cores");
  flags.examples(
      "Examples:\n  plumb describe probs.npy\n  plumb describe cohort.csv \"shards/*.npz\"\n  plumb describe predictions.csv votes.csv");
  if (!flags.parse(args)) return kDone;
  if (files.empty()) throw InputError("no file given; name one or more files to describe");
  check_threads(threads);
  std::string text;
  std::vector<ArrayInfo> all;
  for (const Source& source : resolve(files))
    for (ArrayInfo& a : described(source, narrow<int>(threads))) {
      text += describe(a);
      all.push_back(std::move(a));
    }
  if (const std::string next = next_evaluate(all); !next.empty()) {
    const auto lacks = [&](const char* word) { return next.find(word) != std::string::npos; };
    const bool partly = lacks("PREDICTIONS") || lacks(" LABELS") || lacks(",MASK");
    text += partly ? "\nNext, with your own files in place of the capitals:\n" : "\nNext:\n";
    std::istringstream lines(next);
    for (std::string line; std::getline(lines, line);) text += "  " + detail::visible(line) + "\n";
  }
  write_stdout(text);
  return kDone;
}

}  // namespace plumb::cli
