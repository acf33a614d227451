#include "plumb/data/array.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "plumb/data/check.hpp"

namespace plumb {
namespace {

std::vector<double> read_all(const Rows& r) {
  std::vector<double> out(static_cast<std::size_t>(r.rows() * r.width()));
  r.read(0, r.rows(), out);
  return out;
}

template <class T>
Array typed(DType t, const std::vector<T>& values, std::vector<std::int64_t> shape, bool swapped = false) {
  auto bytes = std::make_shared<std::vector<std::byte>>();
  for (const T& v : values) {
    const auto* at = reinterpret_cast<const std::byte*>(&v);
    for (std::size_t i = 0; i < sizeof(T); ++i) bytes->push_back(at[swapped ? sizeof(T) - 1 - i : i]);
  }
  Array a;
  a.dtype = t;
  a.swapped = swapped;
  a.shape = std::move(shape);
  std::int64_t stride = sizeof(T);
  a.strides.resize(a.shape.size());
  for (std::size_t d = a.shape.size(); d-- > 0;) {
    a.strides[d] = stride;
    stride *= a.shape[d];
  }
  a.data = bytes->data();
  a.owner = bytes;
  a.name = "typed";
  return a;
}

template <class T>
void expect_reads(DType t, const std::vector<T>& values) {
  const std::vector<double> wide(values.begin(), values.end());
  const auto n = static_cast<std::int64_t>(values.size());
  for (const bool swapped : {false, true}) {
    EXPECT_EQ(read_all(Rows(typed(t, values, {n}, swapped))), wide)
        << dtype_name(t) << " swapped " << swapped;
  }
}

TEST(Array, EveryTypeReadsBackInBothEndiannesses) {
  expect_reads<std::int8_t>(DType::i8, {-128, -1, 0, 127});
  expect_reads<std::int16_t>(DType::i16, {-32768, 258, 32767});
  expect_reads<std::int32_t>(DType::i32, {-2147483647, 16909060});
  expect_reads<std::int64_t>(DType::i64, {-9007199254740992, 72623859790382856});
  expect_reads<std::uint8_t>(DType::u8, {0, 200, 255});
  expect_reads<std::uint16_t>(DType::u16, {0, 258, 65535});
  expect_reads<std::uint32_t>(DType::u32, {0, 16909060, 4294967295u});
  expect_reads<std::uint64_t>(DType::u64, {0, 9007199254740992u, 18446744073709551615u});
  expect_reads<float>(DType::f32, {-0.1f, 1e-42f, 3.4e38f, std::numeric_limits<float>::infinity()});
  expect_reads<double>(DType::f64, {-0.1, 5e-324, 1.7e308});
}

/// Reference: the value of a binary16 by its definition.
double half_by_definition(std::uint16_t h) {
  const int exponent = (h >> 10) & 31;
  const double mantissa = h & 1023;
  const double sign = h & 0x8000 ? -1 : 1;
  if (exponent == 31) return mantissa != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

TEST(Array, EveryFloat16IsExact) {
  std::vector<std::uint16_t> all(65536);
  std::iota(all.begin(), all.end(), std::uint16_t{0});
  for (const bool swapped : {false, true}) {
    const std::vector<double> got = read_all(Rows(typed(DType::f16, all, {65536}, swapped)));
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double want = half_by_definition(all[i]);
      if (std::isnan(want)) {
        ASSERT_TRUE(std::isnan(got[i])) << i;
      } else {
        ASSERT_EQ(std::bit_cast<std::uint64_t>(got[i]), std::bit_cast<std::uint64_t>(want)) << i;
      }
    }
  }
}

TEST(Array, FortranOrderIsOnlyOtherStrides) {
  // element (i, j, k) = 100 i + 10 j + k, for more rows than one tile
  const std::int64_t n = 77;
  std::vector<float> fortran(static_cast<std::size_t>(n * 3 * 2));
  std::vector<double> want;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < 3; ++j) {
      for (std::int64_t k = 0; k < 2; ++k) {
        const double v = static_cast<double>(100 * i + 10 * j + k);
        fortran[static_cast<std::size_t>(i + n * (j + 3 * k))] = static_cast<float>(v);
        want.push_back(v);
      }
    }
  }
  for (const bool swapped : {false, true}) {
    Array a = typed(DType::f32, fortran, {n, 3, 2}, swapped);
    a.strides = {4, 4 * n, 4 * n * 3};
    EXPECT_FALSE(a.is_contiguous());
    const Rows rows(a);
    EXPECT_EQ(rows.width(), 6);
    EXPECT_EQ(rows.rank(), 3);
    EXPECT_EQ(read_all(rows), want);
    std::vector<double> part(5 * 6);
    rows.read(31, 36, part);
    EXPECT_EQ(part, std::vector<double>(want.begin() + 31 * 6, want.begin() + 36 * 6));
    EXPECT_EQ(rows.contiguous<float>(0, 1), nullptr);
    const std::vector<std::int64_t> pick = {76, 0};
    std::vector<double> gathered(want.begin() + 76 * 6, want.end());
    gathered.insert(gathered.end(), want.begin(), want.begin() + 6);
    EXPECT_EQ(read_all(rows.gather(pick)), gathered);
  }
}

TEST(Array, UnalignedDataReadsButGivesNoPointer) {
  std::vector<std::byte> raw(1 + 3 * sizeof(float));
  const float values[3] = {0.5f, 0.25f, -1.0f};
  std::memcpy(raw.data() + 1, values, sizeof values);
  Array a = view_of(std::span<const float>(values), {3}, "unaligned");
  EXPECT_EQ(Rows(a).contiguous<float>(0, 3), values);
  a.data = raw.data() + 1;
  EXPECT_EQ(read_all(Rows(a)), (std::vector<double>{0.5, 0.25, -1}));
  EXPECT_EQ(Rows(a).contiguous<float>(0, 3), nullptr);
}

TEST(Array, ContiguousIsForOneNativeShardOfThatType) {
  const Rows rows({array_of(std::vector<double>{1, 2, 3, 4}, {2, 2}, "a"),
                   array_of(std::vector<double>{5, 6}, {1, 2}, "b")});
  const double* p = rows.contiguous<double>(1, 2);
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(p[0], 3);
  EXPECT_EQ(*rows.contiguous<double>(2, 3), 5);
  EXPECT_EQ(rows.contiguous<double>(1, 3), nullptr);
  EXPECT_EQ(rows.contiguous<float>(0, 1), nullptr);
  EXPECT_EQ(rows.contiguous<double>(3, 3), nullptr);
  EXPECT_EQ(Rows(typed<double>(DType::f64, {1.0}, {1}, true)).contiguous<double>(0, 1), nullptr);
}

TEST(Rows, ShardsOfDifferentTypesStack) {
  const Rows rows({array_of(std::vector<double>{0.5, 1.5}, {2}, "a.npy"),
                   array_of(std::vector<std::uint8_t>{}, {0}, "b.npy"),
                   array_of(std::vector<std::int64_t>{7, 8, 9}, {3}, "c.npy")});
  EXPECT_EQ(rows.rows(), 5);
  EXPECT_EQ(read_all(rows), (std::vector<double>{0.5, 1.5, 7, 8, 9}));
  EXPECT_EQ(rows.name(), "a.npy (and 2 more)");
  EXPECT_EQ(rows.where(1), "a.npy, row 1");
  EXPECT_EQ(rows.where(2), "c.npy, row 0");
  const std::vector<std::int64_t> pick = {4, 0};
  EXPECT_EQ(read_all(rows.gather(pick)), (std::vector<double>{9, 0.5}));
}

TEST(Rows, CsvRowsTellTheLine) {
  Array a = array_of(std::vector<double>{1, 2}, {2}, "v.csv:p");
  a.first_row = 2;
  EXPECT_EQ(Rows(a).where(1), "v.csv:p, row 1 (line 3)");
}

TEST(Rows, GatherKeepsTheType) {
  const Rows rows({array_of(std::vector<float>{1, 2, 3, 4}, {2, 2}, "a"),
                   array_of(std::vector<float>{5, 6}, {1, 2}, "b")});
  const std::vector<std::int64_t> pick = {2, 2, 0};
  const Rows got = rows.gather(pick);
  EXPECT_EQ(got.shards()[0].dtype, DType::f32);
  EXPECT_EQ(read_all(got), (std::vector<double>{5, 6, 5, 6, 1, 2}));
  EXPECT_NE(got.contiguous<float>(0, 3), nullptr);
  const std::vector<std::int64_t> beyond = {3};
  EXPECT_THROW((void)rows.gather(beyond), std::out_of_range);
  EXPECT_EQ(rows.gather({}).rows(), 0);
}

TEST(Rows, Text) {
  const Rows rows({array_of(std::vector<std::string>{"a", "b", "c", "d"}, {2, 2}, "t.csv:x,y"),
                   array_of(std::vector<std::string>{"e", ""}, {1, 2}, "u.csv:x,y")});
  EXPECT_TRUE(rows.is_text());
  EXPECT_EQ(rows.text(1), "c");
  EXPECT_EQ(rows.text(2, 1), "");
  const std::vector<std::int64_t> pick = {2};
  EXPECT_EQ(rows.gather(pick).text(0), "e");
  std::vector<double> out(2);
  EXPECT_THROW(rows.read(0, 1, out), InputError);
  EXPECT_EQ(rows.contiguous<double>(0, 1), nullptr);
  EXPECT_THROW((void)rows.text(3), std::out_of_range);
}

template <class F>
std::string complaint(F f) {
  try {
    f();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "no complaint";
}

TEST(Rows, ShardsThatDoNotStackAreRefused) {
  const Array wide = array_of(std::vector<double>{1, 2, 3}, {1, 3}, "wide.npy");
  const Array narrow = array_of(std::vector<double>{1, 2}, {1, 2}, "narrow.npy");
  const Array words = array_of(std::vector<std::string>{"x", "y", "z"}, {1, 3}, "words.csv");
  const Array scalar = array_of(std::vector<double>{1}, {}, "scalar.npy");
  EXPECT_EQ(complaint([&] {
              Rows({wide, narrow});
            }),
            "wide.npy is 1 x 3 but narrow.npy is 1 x 2; shards must agree in all but the number of rows");
  EXPECT_EQ(complaint([&] {
              Rows({wide, words});
            }),
            "words.csv holds text but wide.npy holds numbers; shards must be of one kind");
  EXPECT_EQ(complaint([&] { Rows{scalar}; }),
            "scalar.npy is a single value; an array with at least one row is needed");
  EXPECT_THROW(array_of(std::vector<double>{1, 2}, {3}, "x"), std::invalid_argument);
}

TEST(Rows, EmptyAndOutOfRange) {
  const Rows none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.rows(), 0);
  const Rows no_rows(array_of(std::vector<double>{}, {0, 4}, "z"));
  EXPECT_EQ(no_rows.rows(), 0);
  EXPECT_EQ(no_rows.width(), 4);
  no_rows.read(0, 0, {});
  const Rows one(array_of(std::vector<double>{1}, {1}, "one"));
  std::vector<double> out(2);
  EXPECT_THROW(one.read(0, 2, out), std::out_of_range);
  EXPECT_THROW(one.read(0, 1, out), std::out_of_range);
}

}  // namespace
}  // namespace plumb
