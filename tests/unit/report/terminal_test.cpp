#include "plumb/report/terminal.hpp"

#include <gtest/gtest.h>

#include <regex>

#include "unit/report/approved.hpp"
#include "unit/report/sample_results.hpp"

namespace plumb {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Terminal, Approved) {
  expect_approved("labels.txt", render_terminal(sample::labels(), {.width = 100, .spelling = kFlag}));
  expect_approved("raters.txt",
                  render_terminal(sample::raters(), {.width = 100, .all = true, .spelling = kFlag}));
  expect_approved("binary.txt", render_terminal(sample::binary(), {.width = 80, .spelling = kFlag}));
}

TEST(Terminal, ColourChangesNoLetter) {
  const std::string plain = render_terminal(sample::raters(), {.colour = false});
  const std::string coloured = render_terminal(sample::raters(), {.colour = true});
  EXPECT_NE(plain, coloured);
  EXPECT_EQ(std::regex_replace(coloured, std::regex("\x1b\\[[0-9]*m"), ""), plain);
  EXPECT_FALSE(contains(plain, "\x1b"));
}

TEST(Terminal, HeadlinesAloneUnlessAllAreWanted) {
  EXPECT_FALSE(contains(render_terminal(sample::labels(), {}), "  mce"));
  EXPECT_TRUE(contains(render_terminal(sample::labels(), {.all = true}), "  mce"));
  EXPECT_FALSE(contains(render_terminal(sample::labels(), {}), "agreement"))
      << "with one vote each it is the accuracy";
}

TEST(Terminal, SaysWhatIsUndefinedAndWhy) {
  const std::string text = render_terminal(sample::labels(), {.spelling = kFlag});
  EXPECT_TRUE(contains(text, "nll: 3 votes fell on probability 0; use --clip to bound them"));
}

TEST(Terminal, OptionsAreSpelledAsAskedBeforeLinesAreBroken) {
  Result r = sample::labels();
  r.notes = {"give ⟦save_state⟧ a name"};
  EXPECT_TRUE(contains(render_terminal(r, {.spelling = kFlag}), "  give --save-state a name\n"));
  EXPECT_TRUE(contains(render_terminal(r, {}), "  give .save_state a name\n")) << "as C++ does";
  // The width counts what is shown: with the bare name four letters more fit the line.
  r.notes = {std::string(31, 'x') + " ⟦bins⟧"};
  EXPECT_TRUE(contains(render_terminal(r, {.width = 40, .spelling = kKeyword}), "x bins=\n"));
  EXPECT_TRUE(contains(render_terminal(r, {.width = 40, .spelling = kFlag}), "x --bins\n"));
  r.notes = {std::string(32, 'x') + " ⟦bins⟧"};
  EXPECT_TRUE(contains(render_terminal(r, {.width = 40, .spelling = kKeyword}), "x bins=\n"));
  EXPECT_TRUE(contains(render_terminal(r, {.width = 40, .spelling = kFlag}), "x\n    --bins\n"));
}

TEST(Terminal, LinesKeepToTheWidth) {
  std::istringstream lines(render_terminal(sample::labels(), {.width = 60}));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 60u) << line;
}

TEST(Terminal, EmptyResultIsNoCrash) { EXPECT_FALSE(render_terminal(Result{}, {}).empty()); }

TEST(Terminal, ListHasEveryKeyAndItsLine) {
  const std::string text = render_list(kMetrics, {.width = 200});
  for (const MetricRow& row : kMetrics) {
    EXPECT_TRUE(contains(text, "  " + std::string(row.key) + " ")) << row.key;
    EXPECT_TRUE(contains(text, std::string(row.line))) << row.line;
  }
}

}  // namespace
}  // namespace plumb
