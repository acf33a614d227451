#include "plumb/data/check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

#include "unit/data/complaint.hpp"

namespace plumb {
namespace {

TEST(Check, Counted) {
  EXPECT_EQ(counted(0, "value"), "0 values");
  EXPECT_EQ(counted(1, "value"), "1 value");
  EXPECT_EQ(counted(3, "row"), "3 rows");
  EXPECT_EQ(counted(4, "pass"), "4 passes");
}

TEST(Check, ShowWritesNumbersAsAReaderWould) {
  EXPECT_EQ(show(0.1), "0.1");
  EXPECT_EQ(show(3), "3");
  EXPECT_EQ(show(-2.5), "-2.5");
  EXPECT_EQ(show(100000), "100000");
  EXPECT_EQ(show(0), "0");
  EXPECT_EQ(show(1e-7), "1e-07");
  EXPECT_EQ(show(1.5e300), "1.5e+300");
  EXPECT_EQ(show(std::nan("")), "nan");
  EXPECT_EQ(show(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(Check, ShowReadsBack) {
  std::mt19937_64 bits(1);
  for (int i = 0; i < 20000; ++i) {
    const double x = std::ldexp(static_cast<double>(bits()), static_cast<int>(bits() % 200) - 160);
    ASSERT_EQ(std::strtod(show(x).c_str(), nullptr), x) << show(x);
  }
}

TEST(Check, ShowShape) {
  const std::vector<std::int64_t> shape = {10000, 10};
  EXPECT_EQ(show_shape(shape), "10000 x 10");
  EXPECT_EQ(show_shape({}), "");
}

TEST(Check, DidYouMean) {
  const std::vector<std::string> known = {"probs", "logits", "labels", "a"};
  EXPECT_EQ(did_you_mean("prob", known), " (did you mean \"probs\"?)");
  EXPECT_EQ(did_you_mean("porbs", known), " (did you mean \"probs\"?)");  // neighbours swapped: one edit
  EXPECT_EQ(did_you_mean("label", known), " (did you mean \"labels\"?)");
  EXPECT_EQ(did_you_mean("LABELS", known), " (did you mean \"labels\"?)");
  EXPECT_EQ(did_you_mean("lab", known), " (did you mean \"labels\"?)");
  EXPECT_EQ(did_you_mean("weights", known), "");
  EXPECT_EQ(did_you_mean("z", known), "");  // replacing the only letter is not similarity
  EXPECT_EQ(did_you_mean("", known), "");
}

TEST(Check, ClassNames) {
  const std::vector<std::string> names = {"cat", "dog", "cat"};
  EXPECT_EQ(complaint([&] { check_class_names(names, 4); }),
            ".classes gives 3 names but the predictions have 4 classes; name every class once, in order");
  EXPECT_EQ(complaint([&] { check_class_names(names, 3); }),
            ".classes gives the name \"cat\" twice; each class needs its own name");
  EXPECT_NO_THROW(check_class_names(std::vector<std::string>{"a", "b"}, 2));
}

TEST(Check, SameRows) {
  EXPECT_NO_THROW(check_same_rows("a", 3, "b", 3));
  EXPECT_EQ(
      complaint([] { check_same_rows("probs.npy", 100, "labels.npy", 1); }),
      "probs.npy has 100 rows but labels.npy has 1 row; both must describe the same items in the same order");
}

TEST(Check, Options) {
  EXPECT_NO_THROW(check_bins(1));
  EXPECT_NO_THROW(check_bins(1000000));
  EXPECT_EQ(complaint([] { check_bins(0); }), ".bins is 0; it must be between 1 and 1000000");
  EXPECT_THROW(check_bins(1000001), InputError);
  EXPECT_NO_THROW(check_threads(0));
  EXPECT_NO_THROW(check_threads(256));
  EXPECT_EQ(complaint([] { check_threads(-1); }), ".threads is -1; it must be between 0 and 256");
  EXPECT_THROW(check_threads(257), InputError);
  EXPECT_NO_THROW(check_level(0.95));
  EXPECT_EQ(complaint([] { check_level(95); }),
            ".level is 95; a confidence level must be between 0 and 1, for example 0.95");
  EXPECT_THROW(check_level(0), InputError);
  EXPECT_THROW(check_level(1), InputError);
  EXPECT_THROW(check_level(std::nan("")), InputError);
}

}  // namespace
}  // namespace plumb
