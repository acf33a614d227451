#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "plumb/data/items.hpp"
#include "unit/data/complaint.hpp"

namespace plumb {
namespace {

using Words = std::vector<std::string>;

Rows words(Words values, const std::string& name = "g.csv:site") {
  const auto n = static_cast<std::int64_t>(values.size());
  return Rows(array_of(std::move(values), {n}, name));
}

Words all_names(const Names& names) {
  Words out;
  for (std::int64_t i = 0; i < names.size(); ++i) out.push_back(names.name(i));
  return out;
}

TEST(Names, NaturalOrderPutsNumbersFirst) {
  const Words given = {"10", "b", "2", "-1", "1e1", "a10", "2", "nan", "0.5", "a2"};
  const Names names(words(given));
  EXPECT_EQ(names.distinct(), (Words{"-1", "0.5", "2", "10", "1e1", "a10", "a2", "b", "nan"}));
  EXPECT_EQ(all_names(names), given);
  EXPECT_EQ(names.code(2), names.code(6));
  EXPECT_EQ(names.source(), "g.csv:site");
}

TEST(Names, NumbersBecomeShortText) {
  const Names doubles(Rows(array_of(std::vector<double>{3, 0.1, 100000, -0.0, 3, 0}, {6}, "g")));
  EXPECT_EQ(all_names(doubles), (Words{"3", "0.1", "100000", "0", "3", "0"}));
  EXPECT_EQ(doubles.distinct(), (Words{"0", "0.1", "3", "100000"}));
  const Names floats(Rows(array_of(std::vector<float>{0.1f, 2}, {2}, "g")));
  EXPECT_EQ(all_names(floats), (Words{"0.1", "2"}));
  const Names bytes(Rows(array_of(std::vector<std::uint8_t>{10, 9}, {2}, "g")));
  EXPECT_EQ(bytes.distinct(), (Words{"9", "10"}));
}

TEST(Names, LargeIntegersStayApart) {
  const std::int64_t big = (std::int64_t{1} << 60) + 1;
  const Names names(Rows(array_of(std::vector<std::int64_t>{big, big - 1, -5, big}, {4}, "patients.npy")));
  EXPECT_EQ(names.distinct(), (Words{"-5", "1152921504606846976", "1152921504606846977"}));
  EXPECT_EQ(names.code(0), names.code(3));
}

TEST(Names, ShardsShareTheirNames) {
  Array strided = array_of(std::vector<std::int64_t>{7, 99, 8, 99}, {4}, "b.npy");
  strided.shape = {2};
  strided.strides = {16};
  Array swapped = array_of(std::vector<std::int64_t>{std::int64_t{7} << 56}, {1}, "c.npy");
  swapped.swapped = true;
  const Names names(Rows({array_of(std::vector<double>{8, 7}, {2}, "a.npy"), strided, swapped}));
  EXPECT_EQ(all_names(names), (Words{"8", "7", "7", "8", "7"}));
  EXPECT_EQ(names.distinct().size(), 2u);
  EXPECT_EQ(names.source(), "a.npy (and 2 more)");
}

TEST(Names, HalfPrecision) {
  const std::uint8_t raw[] = {0x00, 0x3c, 0x00, 0x42};  // 1 and 3
  Array half;
  half.dtype = DType::f16;
  half.shape = {2};
  half.strides = {2};
  half.data = reinterpret_cast<const std::byte*>(raw);
  half.name = "h";
  EXPECT_EQ(all_names(Names(Rows(half))), (Words{"1", "3"}));
}

TEST(Names, GatherKeepsWhatIsUsed) {
  const Names names(words({"x", "2", "10", "x"}));
  const std::vector<std::int64_t> rows = {3, 2, 0};
  const Names part = names.gather(rows);
  EXPECT_EQ(all_names(part), (Words{"x", "10", "x"}));
  EXPECT_EQ(part.distinct(), (Words{"10", "x"}));
  EXPECT_EQ(part.source(), "g.csv:site");
  EXPECT_TRUE(names.gather({}).empty());
}

TEST(Names, MissingNamesAreRefused) {
  EXPECT_EQ(complaint([] {
              Names(words({"a", ""}));
            }),
            "g.csv:site, row 1 is empty; every item needs a name");
  EXPECT_EQ(complaint([] {
              Names(Rows(array_of(std::vector<double>{1, std::nan("")}, {2}, "g.npy")));
            }),
            "g.npy, row 1 is nan; every item needs a name");
  EXPECT_EQ(complaint([] {
              Names(Rows(array_of(std::vector<double>{1, 2}, {1, 2}, "g.npy")));
            }),
            "g.npy is 1 x 2; one name per item is needed");
  EXPECT_TRUE(Names(Rows()).empty());
}

}  // namespace
}  // namespace plumb
