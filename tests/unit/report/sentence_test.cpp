// The two checkers of sentences find every kind of contradiction that they look for.
#include "report/sentence.hpp"

#include <gtest/gtest.h>

#include "support/read_words.hpp"

namespace plumb {
namespace {

using detail::Claim;
using detail::Sentence;

std::vector<std::string> found(const std::vector<Claim>& claims) {
  return detail::contradictions(std::vector{Sentence{"all of it", claims}});
}

TEST(Claims, WhatAgreesIsNoContradiction) {
  EXPECT_TRUE(found({Claim::trustworthy, Claim::too_high, Claim::within_tolerance}).empty());
  EXPECT_TRUE(
      found({Claim::off, Claim::beyond_chance, Claim::too_low, Claim::too_extreme, Claim::advise_calibrator})
          .empty());
  EXPECT_TRUE(
      found({Claim::undecided, Claim::by_chance, Claim::mean_by_chance, Claim::advise_items}).empty());
  EXPECT_TRUE(found({Claim::sigma_too_small, Claim::errors_below, Claim::sigma_mixed}).empty());
  EXPECT_TRUE(found({}).empty());
}

/// Consistent sentences, and one contradiction planted among them.
struct Planted {
  std::vector<Claim> fine;
  Claim wrong;
};

TEST(Claims, EveryKindThatIsPlantedIsFound) {
  std::vector<char> planted(detail::kClaims, 0);
  for (const auto& [fine, wrong] : std::vector<Planted>{
           {{Claim::off}, Claim::trustworthy},
           {{Claim::undecided}, Claim::off},
           {{Claim::off}, Claim::undecided},
           {{Claim::too_low}, Claim::too_high},
           {{Claim::by_chance}, Claim::too_low},
           {{Claim::too_high}, Claim::mean_by_chance},
           {{Claim::too_timid}, Claim::too_extreme},
           {{Claim::by_chance}, Claim::too_timid},
           {{Claim::off}, Claim::within_tolerance},
           {{Claim::by_chance}, Claim::beyond_chance},
           {{Claim::off}, Claim::by_chance},
           {{Claim::trustworthy}, Claim::below_guessing},
           {{Claim::trustworthy}, Claim::sigma_too_small},
           {{Claim::sigma_too_small}, Claim::sigma_too_large},
           {{Claim::sigma_too_large}, Claim::errors_above},
           {{Claim::sigma_too_small}, Claim::errors_below},
           {{Claim::trustworthy}, Claim::advise_calibrator},
           {{Claim::off}, Claim::advise_items},
           {{Claim::undecided}, Claim::advise_suspects},
           {{Claim::off}, Claim::advise_class_order},
       }) {
    EXPECT_TRUE(found(fine).empty()) << detail::claim_name(fine.front());
    std::vector<Claim> all = fine;
    all.push_back(wrong);
    EXPECT_FALSE(found(all).empty()) << detail::claim_name(wrong);
    planted[static_cast<std::size_t>(wrong)] = 1;
  }
  for (int c = 0; c < detail::kClaims; ++c) {
    const auto claim = static_cast<Claim>(c);
    // One explains another claim, one makes no claim about the model.
    if (claim == Claim::sigma_mixed || claim == Claim::advise_replicates) continue;
    EXPECT_TRUE(planted[c]) << "nothing denies " << detail::claim_name(claim);
  }
}

TEST(Claims, ATrustedFaultMustBeExcusedInItsOwnSentence) {
  EXPECT_FALSE(
      detail::contradictions(std::vector<Sentence>{{"a", {Claim::trustworthy}},
                                                   {"b", {Claim::too_high}},
                                                   {"c", {Claim::too_extreme, Claim::within_tolerance}}})
          .empty());
}

test::Shown off() {
  return {
      .verdict =
          "Off: the ECE is about 0.08 (95% interval 0.04 to 0.11), above the tolerance of 0.05, and more than chance explains (p = 0.02).",
      .words =
          {"The forecasts are too high on average: the mean forecast of 1 is 40.0%, and 32.0% of the labels are 1 (p = 0.01).",
           "The forecasts are too extreme: the calibration slope is 0.6 (95% interval 0.5 to 0.8); a calibrated model has 1."},
      .next = "Fit a calibrator.",
      .diagram =
          "The forecasts are too high on average: the mean forecast of 1 is 40.0%, and 32.0% of the labels are 1 (p = 0.01).",
      .plots = {"The accuracy is worst for a (0.7); for the best slice it is 0.9."},
      .headline = "off",
      .units = 300};
}
test::Shown trusted() {
  return {
      .verdict = "Trustworthy: the ECE is at most 0.03 with 95% confidence, below the tolerance of 0.05.",
      .words =
          {"The mean forecast of 1 is 40.0%, and 39.0% of the labels are 1; chance may explain the difference (p = 0.4)."},
      .next = "Look at the confident wrong answers and at the items to defer to a person:",
      .headline = "trustworthy",
      .units = 300};
}
test::Shown undecided() {
  return {
      .verdict =
          "Cannot tell: the ECE may be as large as 0.09, above the tolerance of 0.05; about 1,900 items would settle it for a calibrated model.",
      .words = {"The mean forecast of 1 is 40.0%, and 39.0% of the labels are 1."},
      .next = "Add items to the test set. How the estimate settles as the set grows:",
      .headline = "cannot tell",
      .units = 300};
}
test::Shown variances() {
  return {
      .verdict =
          "Off: the predicted standard deviations are too small by a factor of about 2 (95% interval 1.8 to 2.3), above the tolerance of 1.1.",
      .words = {"The 90% intervals contain 61% of the targets (95% interval 58.0% to 64.0%).",
                "The variances are too small by a factor of about 4 (95% interval 3.2 to 5.3)."},
      .next = "Calibrate the variances, preferably on data held out from this test set:",
      .plots = {"The model predicts a mean squared error of 1; the observed one is 4, 4.00 times as large.",
                "The 90% intervals contain 61.0% of the targets."},
      .units = 300};
}

TEST(ReadWords, WhatAgreesIsNoContradiction) {
  for (const test::Shown& s : {off(), trusted(), undecided(), variances()})
    for (const std::string& fault : test::text_contradictions(s)) ADD_FAILURE() << fault;
}

TEST(ReadWords, EveryKindThatIsPlantedIsFound) {
  const auto replaced = [](std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
  };
  const auto expect_found = [](const test::Shown& s, const char* what) {
    EXPECT_FALSE(test::text_contradictions(s).empty()) << what;
  };
  struct Change {
    test::Shown (*fine)();
    int sentence;  ///< -1: the verdict; 100: the first plot; 101: the next
    const char *from, *to;
  };
  for (const Change& c : {
           Change{off, -1, "about 0.08", "about 0.05"},
           Change{off, -1, "0.04 to 0.11", "0.09 to 0.11"},
           Change{off, -1, "0.04 to 0.11", "0.11 to 0.04"},
           Change{off, -1, "p = 0.02", "p = 0.2"},
           Change{off, -1, "0.08", "nan"},
           Change{off, 0, "too high", "too low"},
           Change{off, 0, "32.0%", "40.0%"},
           Change{off, 1, "0.5 to 0.8", "0.5 to 1.1"},
           Change{off, 1, "too extreme", "not extreme enough"},
           Change{off, 1, "too extreme", "too extreme, though within the tolerance"},
           Change{off, 100, "(0.7); for the best slice it is 0.9", "(0.9); for the best slice it is 0.7"},
           Change{trusted, -1, "at most 0.03", "at most 0.05"},
           Change{trusted, 0, "p = 0.4", "p = 0.04"},
           Change{trusted, 0, "The mean forecast",
                  "The forecasts are too high on average: the mean forecast"},
           Change{undecided, -1, "as large as 0.09", "as large as 0.05"},
           Change{undecided, -1, "1,900", "290"},
           Change{variances, -1, "too small", "too large"},
           Change{variances, 0, "61%", "71%"},
           Change{variances, 1, "3.2 to", "0.9 to"},
           Change{variances, 100, "4.00 times", "0.80 times"},
           Change{variances, 101, "61.0%", "65.0%"},
       }) {
    test::Shown s = c.fine();
    std::string& text = c.sentence < 0      ? s.verdict
                        : c.sentence >= 100 ? s.plots[c.sentence - 100]
                                            : s.words[c.sentence];
    text = replaced(text, c.from, c.to);
    if (c.sentence == 0) s.diagram.clear();
    expect_found(s, (std::string(c.from) + " -> " + c.to).c_str());
  }
  for (const auto& fine : {off, trusted, undecided, variances})
    for (const char* next :
         {"Fit a calibrator.", "Add items to the test set.", "Look at the confident wrong answers",
          "Draw enough replicates for this level:", "Compare the order of the columns with the labels:"}) {
      test::Shown s = fine();
      if (s.next.starts_with(next) || (fine == variances && std::string(next) == "Fit a calibrator."))
        continue;
      s.next = next;
      expect_found(s, next);
    }
  test::Shown s = off();
  s.diagram = "The mean forecast of 1 is 40.0%, and 32.0% of the labels are 1.";
  expect_found(s, "another sentence under the diagram");
  s = off();
  s.headline = "trustworthy";
  expect_found(s, "another headline");
  s = off();
  s.verdict =
      "Cannot tell: the ECE is about 0.2 (95% interval 0 to 0.4), but so few items could show that by chance.";
  expect_found(s, "a fault where the verdict sees chance");
  s = trusted();
  s.words.push_back("The accuracy of 6.0% is below the 33.3% of guessing: check that");
  expect_found(s, "worse than guessing");
}

}  // namespace
}  // namespace plumb
