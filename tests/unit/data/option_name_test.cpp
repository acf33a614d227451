#include "plumb/data/option_name.hpp"

#include <gtest/gtest.h>

#include "plumb/data/check.hpp"

namespace plumb {
namespace {

TEST(OptionName, EveryFrontEndSpellsTheMarkerItsOwnWay) {
  const std::string sentence = opt("save_state") + " needs ⟦binning⟧ width";
  EXPECT_EQ(spell(sentence, kFlag), "--save-state needs --binning width");
  EXPECT_EQ(spell(sentence, kKeyword), "save_state= needs binning= width");
  EXPECT_EQ(spell(sentence, kMember), ".save_state needs .binning width");
  EXPECT_EQ(spell(sentence, kBareName), "save_state needs binning width");
}

TEST(OptionName, BracketsOfSomebodyElseStay) {
  for (const char* text : {"", "no marker", "⟦", "⟧", "⟦⟧", "⟦Not A Name⟧", "a ⟦half", "⟦a b⟧ c⟧"})
    EXPECT_EQ(spell(text, kFlag), text);
  EXPECT_EQ(spell("⟦Upper⟦bins⟧", kFlag), "⟦Upper--bins");
}

TEST(OptionName, AnErrorSpeaksCppAndKeepsItsSentence) {
  const InputError e("⟦bins⟧ is 0");
  EXPECT_STREQ(e.what(), ".bins is 0");
  EXPECT_EQ(e.sentence(), "⟦bins⟧ is 0");
}

}  // namespace
}  // namespace plumb
