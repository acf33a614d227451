#include "plumb/api/data.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <list>
#include <span>

#include "plumb/data/check.hpp"

namespace plumb {
namespace {

std::vector<double> numbers(const Data& data) {
  const Rows rows = data.rows("x");
  std::vector<double> out(rows.rows() * rows.width());
  rows.read(0, rows.rows(), out);
  return out;
}

std::vector<std::int64_t> shape(const Data& data) { return data.rows("x").shards().front().shape; }
const void* place(const Data& data) { return data.rows("x").shards().front().data; }
using Shape = std::vector<std::int64_t>;
using Numbers = std::vector<double>;

std::string refusal(const Data& data) {
  try {
    (void)data.rows("x");
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

template <class T>
class DataOf : public testing::Test {};
using Types = testing::Types<bool, signed char, unsigned char, short, unsigned short, int, unsigned, long,
                             unsigned long, long long, unsigned long long, float, double, long double>;
TYPED_TEST_SUITE(DataOf, Types);

TYPED_TEST(DataOf, VectorsSpansAndStrides) {
  const std::vector<TypeParam> v{0, 1, 1, 0, 1, 1};
  const Numbers same{0, 1, 1, 0, 1, 1};
  EXPECT_EQ(numbers(v), same);
  EXPECT_EQ(numbers(std::vector<TypeParam>(v)), same);
  EXPECT_EQ(shape({v, 3}), (Shape{2, 3}));
  EXPECT_EQ(shape({v, {3, 1, 2}}), (Shape{3, 1, 2}));
  if constexpr (!std::is_same_v<TypeParam, bool> && !std::is_same_v<TypeParam, long double>) {
    EXPECT_EQ(numbers(std::span(v)), same);
    EXPECT_EQ(place(std::span(v)), v.data());
    EXPECT_EQ(place(v), v.data());
    EXPECT_EQ(place({v, 2}), v.data());
    EXPECT_EQ(numbers({v.data(), {3}, {2}}), (Numbers{0, 1, 1}));
    EXPECT_EQ(numbers({v.data(), {3, 2}, {1, 3}}), (Numbers{0, 0, 1, 1, 1, 1}));  // column-major
    EXPECT_EQ(numbers({v.data() + 5, {6}, {-1}}), (Numbers{1, 1, 0, 1, 1, 0}));
    EXPECT_EQ(numbers({v.data(), {2, 2}, {3, 1}}), (Numbers{0, 1, 0, 1}));  // a part of wider rows
  }
}

TEST(Data, TemporariesAreKept) {
  const Data moved{std::vector<int>{1, 2, 3, 4}, 2};
  const Data copied = moved;
  EXPECT_EQ(numbers(copied), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(place(copied), place(moved));
  std::vector<float> v{5, 6};
  const void* at = v.data();
  EXPECT_EQ(place(std::move(v)), at);
}

TEST(Data, OtherRanges) {
  const int plain[] = {1, 2, 3};
  EXPECT_EQ(numbers(plain), (Numbers{1, 2, 3}));
  const std::vector<std::array<float, 2>> pairs{{1, 2}, {3, 4}, {5, 6}};
  EXPECT_EQ(shape(pairs), (Shape{3, 2}));
  EXPECT_EQ(place(pairs), pairs.data());
  EXPECT_EQ(numbers(pairs), (Numbers{1, 2, 3, 4, 5, 6}));
  const std::vector<std::vector<short>> nested{{1, 2}, {3, 4}, {5, 6}};
  EXPECT_EQ(shape(nested), (Shape{3, 2}));
  EXPECT_EQ(numbers(nested), (Numbers{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(shape(std::vector<std::array<long double, 2>>{{1, 2}}), (Shape{1, 2}));
  EXPECT_EQ(numbers(std::deque<int>{1, 2}), (Numbers{1, 2}));
  EXPECT_EQ(numbers(std::list<double>{0.5}), (Numbers{0.5}));
}

TEST(Data, Text) {
  const Rows rows = Data(std::vector<std::string>{"a", "b"}).rows("x");
  EXPECT_TRUE(rows.is_text());
  EXPECT_EQ(rows.text(1), "b");
  const char* names[] = {"p", "q", "r", "s"};
  EXPECT_EQ(Data(names).rows("x").text(2), "r");
  EXPECT_EQ(Data(names, 2).rows("x").text(1, 1), "s");
  static_assert(!std::is_constructible_v<Data, std::string>);
  static_assert(!std::is_constructible_v<Data, const char*>);
  static_assert(!std::is_constructible_v<Data, const long double*, Extents>);
}

TEST(Data, NothingGivenIsNotEmpty) {
  EXPECT_FALSE(Data().given());
  EXPECT_TRUE(Data().rows("x").empty());
  EXPECT_TRUE(Data(std::vector<int>{}).given());
  EXPECT_EQ(shape(std::vector<int>{}), (Shape{0}));
  EXPECT_EQ(shape({std::vector<int>{}, 3}), (Shape{0, 3}));
  EXPECT_EQ(shape({static_cast<const int*>(nullptr), {0, 3}}), (Shape{0, 3}));
}

TEST(Data, WrongSizesAreRefusedByName) {
  const std::vector<int> v(10);
  EXPECT_EQ(
      refusal({v, 3}),
      "x has 10 values, which do not fill rows of 3 columns; give the number of columns as {values, columns}");
  EXPECT_NE(refusal({v, 0}), "");
  EXPECT_NE(refusal({v, -5}), "");
  EXPECT_EQ(refusal({v, {3, 3}}), "x has 10 values but the shape 3 x 3 takes 9");
  EXPECT_NE(refusal({v, {-1, 3}}), "");
  EXPECT_NE(refusal({v.data(), {-1, 3}}), "");
  EXPECT_NE(refusal({v.data(), {std::int64_t{1} << 40, std::int64_t{1} << 40}}), "");
  EXPECT_EQ(refusal({v.data(), {5, 2}, {1}}), "x has 2 extents but 1 stride");
  EXPECT_EQ(refusal({static_cast<const float*>(nullptr), {5, 2}}), "x is a null pointer");
  EXPECT_EQ(refusal(std::vector<std::vector<int>>{{1, 2}, {3}}),
            "x, row 1 does not have the 2 columns of row 0");
}

}  // namespace
}  // namespace plumb
