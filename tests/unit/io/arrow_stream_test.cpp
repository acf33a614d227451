#include "plumb/io/arrow_stream.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/arrow_case.hpp"
#include "support/arrow_streams.hpp"
#include "unit/io/files.hpp"

namespace plumb {
namespace {

using namespace arrow_test;
using Doubles = std::vector<double>;
using Texts = std::vector<std::string>;

Array read(std::vector<Node> batches, const std::string& selection = "",
           const ArrowReadOptions& options = {}) {
  Stream stream{std::move(batches)};
  ArrowArrayStream c = stream.start();
  return read_arrow_stream(&c, "t", selection, options);
}

std::string said(std::vector<Node> batches, const std::string& selection = "",
                 const ArrowReadOptions& options = {}) {
  const int before = alive();
  const std::string why = complaint([&] { (void)read(std::move(batches), selection, options); });
  EXPECT_EQ(alive(), before);
  return why;
}

Node list_of(const std::string& name, Node values, const std::vector<std::int32_t>& ends,
             const std::vector<bool>& valid = {}) {
  Node n{"+l", name, static_cast<std::int64_t>(ends.size()) - 1, -1, 0, {}, {}, {}};
  n.buffers = {valid.empty() ? std::nullopt : std::optional(bits_of(valid)), bytes_of(ends)};
  n.children = {std::move(values)};
  return n;
}

Node coded(const std::string& name, Node index, Node entries) {
  index.name = name;
  index.dictionary = {std::move(entries)};
  return index;
}

template <class T>
void check_type(const std::string& format, DType dtype, const std::vector<T>& values) {
  const Doubles expected(values.begin(), values.end());
  // In one batch, where it lies; in two, copied.
  const std::vector<T> head(values.begin(), values.begin() + 1), tail(values.begin() + 1, values.end());
  for (const auto& batches :
       {std::vector{batch({numbers("x", format, values)})},
        std::vector{batch({numbers("x", format, head)}), batch({numbers("x", format, tail)})}}) {
    const Array a = read(batches);
    EXPECT_EQ(a.dtype, dtype) << format;
    EXPECT_EQ(a.shape, (std::vector<std::int64_t>{std::ssize(values)}));
    EXPECT_EQ(values_of(a), expected) << format;
  }
}

TEST(ArrowStream, EveryNumberKeepsItsType) {
  check_type<std::int8_t>("c", DType::i8, {-128, 0, 127});
  check_type<std::uint8_t>("C", DType::u8, {0, 255, 7});
  check_type<std::int16_t>("s", DType::i16, {-32768, 5, 32767});
  check_type<std::uint16_t>("S", DType::u16, {0, 65535, 1});
  check_type<std::int32_t>("i", DType::i32, {-2147483647, 5, 2147483647});
  check_type<std::uint32_t>("I", DType::u32, {0, 4294967295u, 3});
  check_type<std::int64_t>("l", DType::i64, {-5, std::int64_t{1} << 53, 1});
  check_type<std::uint64_t>("L", DType::u64, {0, std::uint64_t{1} << 53, 1});
  check_type<float>("f", DType::f32, {0.1f, -0.0f, 1e30f});
  check_type<double>("g", DType::f64, {0.1, -1e300, 5e-324});
  EXPECT_EQ(values_of(read({batch({numbers<std::uint16_t>("x", "e", {0x3800, 0xc000, 0x0001})})})),
            (Doubles{0.5, -2, std::ldexp(1.0, -24)}));
  Node flag{"b", "x", 5, 0, 0, {std::nullopt, bits_of({1, 0, 0, 1, 1})}, {}, {}};
  EXPECT_EQ(values_of(read({batch({flag})})), (Doubles{1, 0, 0, 1, 1}));
}

TEST(ArrowStream, ColumnsSideBySideAndSelections) {
  const auto b = [](double x) {
    return batch({numbers<double>("p_a", "g", {x, x + 1}), texts("id", {"u", "v"}),
                  numbers<float>("q", "f", {0.5f, 2}), numbers<double>("p_b", "g", {x + 10, x + 11})});
  };
  const Array p = read({b(0), b(2)}, "p_*");
  EXPECT_EQ(p.name, "t:p_*");
  EXPECT_EQ(p.columns, (Texts{"p_a", "p_b"}));
  EXPECT_EQ(p.shape, (std::vector<std::int64_t>{4, 2}));
  EXPECT_EQ(values_of(p), (Doubles{0, 10, 1, 11, 2, 12, 3, 13}));
  const Array mixed = read({b(0)}, "q,p_a");
  EXPECT_EQ(mixed.dtype, DType::f64);
  EXPECT_EQ(values_of(mixed), (Doubles{0.5, 0, 2, 1}));
  EXPECT_EQ(texts_of(read({b(0), b(2)}, "id", {Want::either, false, nullptr})), (Texts{"u", "v", "u", "v"}));
  EXPECT_EQ(said({b(0)}, "p_c"), "t has no column \"p_c\" (did you mean \"p_a\"?); it has p_a, id, q, p_b");
  EXPECT_EQ(said({b(0)}, "id"), "t, column \"id\" holds text where numbers are needed");
  EXPECT_EQ(said({batch({numbers<double>("x", "g", {1}), numbers<double>("x", "g", {1})})}, "x"),
            "t has 2 columns named \"x\"; give them different names");
}

TEST(ArrowStream, SlicesAndOffsets) {
  Node x = numbers<double>("x", "g", {9, 0, 1, 2, 9}, {true, true, true, true, false});
  x.offset = 1;
  x.length = 3;
  EXPECT_EQ(values_of(read({batch({x})})), (Doubles{0, 1, 2}));
  Node t = texts("t", {"no", "a", "", "c"});
  t.offset = 1;
  t.length = 3;
  EXPECT_EQ(texts_of(read({batch({t})}, "", {Want::text, false, nullptr})), (Texts{"a", "", "c"}));
  // The offset of a batch, or of a struct, is on top of its columns' own.
  Node outer = batch({x});
  outer.length = 2;
  outer.offset = 1;
  EXPECT_EQ(values_of(read({outer})), (Doubles{1, 2}));
  Node field{"+s", "s", 2, 0, 1, {std::nullopt}, {x}, {}};
  EXPECT_EQ(values_of(read({batch({field})}, "s.x")), (Doubles{1, 2}));
  Node flag{"b", "x", 3, 0, 6, {std::nullopt, bits_of({0, 0, 0, 0, 0, 0, 1, 0, 1})}, {}, {}};
  EXPECT_EQ(values_of(read({batch({flag})})), (Doubles{1, 0, 1}));
  Node lists = list_of("l", numbers<double>("item", "g", {9, 9, 1, 2, 3, 4}), {0, 2, 4, 6});
  lists.offset = 1;
  lists.length = 2;
  EXPECT_EQ(values_of(read({batch({lists})})), (Doubles{1, 2, 3, 4}));
}

TEST(ArrowStream, ListsAreMatrices) {
  const Node values = numbers<float>("item", "f", {1, 2, 3, 4, 5, 6});
  const Array a = read({batch({list_of("z", values, {0, 3, 6})})});
  EXPECT_EQ(a.shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(a.dtype, DType::f32);
  EXPECT_TRUE(a.columns.empty());
  EXPECT_EQ(values_of(a), (Doubles{1, 2, 3, 4, 5, 6}));
  Node fixed{"+w:2", "w", 3, 0, 0, {std::nullopt}, {values}, {}};
  EXPECT_EQ(read({batch({fixed}), batch({fixed})}).shape, (std::vector<std::int64_t>{6, 2}));
  Node large{"+L", "z", 2, 0, 0, {std::nullopt, bytes_of<std::int64_t>({0, 3, 6})}, {values}, {}};
  EXPECT_EQ(values_of(read({batch({large})})), (Doubles{1, 2, 3, 4, 5, 6}));
  // A list of one value counts as that value; text may stand in lists too.
  EXPECT_EQ(read({batch({list_of("z", values, {0, 1, 2})})}).shape, (std::vector<std::int64_t>{2}));
  EXPECT_EQ(texts_of(read({batch({list_of("z", texts("item", {"a", "b", "c", "d"}), {0, 2, 4})})}, "",
                          {Want::either, true, nullptr})),
            (Texts{"a", "b", "c", "d"}));
  EXPECT_EQ(said({batch({list_of("z", values, {0, 3, 5})})}),
            "t, row 1, column \"z\" has 2 values where the first list has 3");
  EXPECT_EQ(said({batch({list_of("z", values, {0, 3})}), batch({list_of("z", values, {0, 2})})}),
            "t, row 1, column \"z\" has 2 values where the first list has 3");
  EXPECT_EQ(said({batch({list_of("z", values, {0, 3, 3}, {true, false})})}),
            "t, row 1, column \"z\": the list is null; fill it or drop the row");
  EXPECT_EQ(said({batch({list_of("z", values, {0, 0})})}), "t, row 0, column \"z\": the list is empty");
}

TEST(ArrowStream, NullsAreRefusedUnlessTheyMeanNotRated) {
  const std::vector<Node> b{batch({numbers<std::int32_t>("r", "i", {3, 4})}),
                            batch({numbers<std::int32_t>("r", "i", {5, 6, 7}, {true, false, true})})};
  EXPECT_EQ(said(b), "t, row 3, column \"r\": the value is null; fill it or drop the row");
  const Array a = read(b, "", {Want::either, true, nullptr});
  EXPECT_EQ(a.dtype, DType::f64);
  const Doubles v = values_of(a);
  EXPECT_TRUE(std::isnan(v[3]));
  EXPECT_EQ((Doubles{v[0], v[1], v[2], v[4]}), (Doubles{3, 4, 5, 7}));
  EXPECT_EQ(texts_of(read({batch({texts("r", {"a", "", "b"}, {true, false, true})})}, "",
                          {Want::either, false, nullptr})),
            (Texts{"a", "", "b"}));
  // A value of a null struct is null; a column may be all null.
  Node field{"+s", "s", 2, 1, 0, {bits_of({true, false})}, {numbers<double>("x", "g", {1, 2})}, {}};
  EXPECT_EQ(said({batch({field})}, "s.x"),
            "t, row 1, column \"s.x\": the value is null; fill it or drop the row");
  const Node none{"n", "x", 2, 2, 0, {}, {}, {}};
  EXPECT_EQ(said({batch({none})}), "t, row 0, column \"x\": the value is null; fill it or drop the row");
  EXPECT_TRUE(std::isnan(values_of(read({batch({none})}, "", {Want::either, true, nullptr}))[1]));
  EXPECT_EQ(said({batch({list_of("z", numbers<double>("item", "g", {1, 2, 3, 4}, {true, true, false, true}),
                                 {0, 2, 4})})}),
            "t, row 1, column \"z\": the value is null; fill it or drop the row");
}

TEST(ArrowStream, Dictionaries) {
  const Node names = texts("", {"ant", "bee"}), values = numbers<float>("", "f", {0.25f, 0.5f});
  for (const Node& index :
       {numbers<std::int8_t>("", "c", {1, 0, 1}), numbers<std::uint8_t>("", "C", {1, 0, 1})}) {
    EXPECT_EQ(texts_of(read({batch({coded("x", index, names)})}, "", {Want::either, false, nullptr})),
              (Texts{"bee", "ant", "bee"}));
    const Array a = read({batch({coded("x", index, values)})});
    EXPECT_EQ(a.dtype, DType::f32);
    EXPECT_EQ(values_of(a), (Doubles{0.5, 0.25, 0.5}));
  }
  EXPECT_EQ(said({batch({coded("x", numbers<std::int64_t>("", "l", {0, 2}), names)})}, "",
                 {Want::text, false, nullptr}),
            "t, row 1, column \"x\": entry 2 of a dictionary of 2");
  EXPECT_EQ(said({batch({coded("x", numbers<std::int16_t>("", "s", {0, -1}), values)})}),
            "t, row 1, column \"x\": entry -1 of a dictionary of 2");
  // An index under a null is never looked at; a null may also be an entry.
  const Node index = numbers<std::int32_t>("", "i", {0, 99}, {true, false});
  EXPECT_EQ(texts_of(read({batch({coded("x", index, names)})}, "", {Want::text, false, nullptr})),
            (Texts{"ant", ""}));
  EXPECT_EQ(said({batch({coded("x", numbers<std::int32_t>("", "i", {0, 1}),
                               numbers<float>("", "f", {1, 2}, {true, false}))})}),
            "t, row 1, column \"x\": the value is null; fill it or drop the row");
}

TEST(ArrowStream, TextViews) {
  const std::string lengthy = "a text of more than twelve bytes";
  const auto view = [](std::int32_t size, const std::string& start, std::int32_t buffer, std::int32_t begin) {
    std::string v = bytes_of<std::int32_t>({size}) + start;
    if (size > 12) v = v.substr(0, 8) + bytes_of<std::int32_t>({buffer, begin});
    v.resize(16);
    return v;
  };
  const auto column = [&](std::int32_t begin, std::int32_t buffer) {
    Node n{"vu", "x", 2, 0, 0, {}, {}, {}};
    n.buffers = {
        std::nullopt,
        view(2, "ab", 0, 0) + view(static_cast<std::int32_t>(lengthy.size()), lengthy, buffer, begin),
        lengthy, bytes_of<std::int64_t>({std::ssize(lengthy)})};
    return n;
  };
  EXPECT_EQ(texts_of(read({batch({column(0, 0)})}, "", {Want::text, false, nullptr})),
            (Texts{"ab", lengthy}));
  for (const Node& bad : {column(1, 0), column(0, 1), column(-1, 0), column(0, -1)})
    EXPECT_EQ(said({batch({bad})}, "", {Want::text, false, nullptr}),
              "t, column \"x\" is not a well-formed Arrow array: a text outside of its buffers");
}

TEST(ArrowStream, IdsAreExact) {
  const std::int64_t big = (std::int64_t{1} << 60) + 1;
  const Want names = Want::names;
  EXPECT_EQ(
      texts_of(read({batch({numbers<std::int64_t>("id", "l", {big, -big})})}, "", {names, false, nullptr})),
      (Texts{"1152921504606846977", "-1152921504606846977"}));
  EXPECT_EQ(
      texts_of(read({batch({numbers<std::uint64_t>("id", "L", {UINT64_MAX})})}, "", {names, false, nullptr})),
      (Texts{"18446744073709551615"}));
  EXPECT_EQ(read({batch({numbers<std::int64_t>("id", "l", {1, 2})})}, "", {names, false, nullptr}).dtype,
            DType::i64);
  EXPECT_EQ(
      texts_of(read({batch({numbers<std::int64_t>("id", "l", {7, 8})})}, "", {Want::text, false, nullptr})),
      (Texts{"7", "8"}));
  EXPECT_EQ(texts_of(read({batch({numbers<double>("id", "g", {7, 0.5})})}, "", {Want::text, false, nullptr})),
            (Texts{"7", "0.5"}));
  Node flag{"b", "x", 2, 0, 0, {std::nullopt, bits_of({1, 0})}, {}, {}};
  EXPECT_EQ(texts_of(read({batch({flag})}, "", {names, false, nullptr})), (Texts{"true", "false"}));
}

TEST(ArrowStream, OneBatchIsNotCopied) {
  const Array a = read({batch({numbers<double>("x", "g", {1, 2, 3})})});
  EXPECT_EQ(alive(), 2);  // the batch and its column, as long as the array
  EXPECT_EQ(values_of(a), (Doubles{1, 2, 3}));
}

TEST(ArrowStream, AColumnByItself) {
  for (const std::size_t count : {1, 2}) {
    const Array a = read(std::vector(count, numbers<float>("", "f", {1, 2, 3})));
    Doubles expected;
    for (std::size_t i = 0; i < count; ++i) expected.insert(expected.end(), {1, 2, 3});
    EXPECT_EQ(values_of(a), expected);
    EXPECT_EQ(a.dtype, DType::f32);
    EXPECT_TRUE(a.columns.empty());
    const Array pairs =
        read(std::vector(count, list_of("", numbers<double>("item", "g", {1, 2, 3, 4}), {0, 2, 4})));
    EXPECT_EQ(pairs.shape, (std::vector<std::int64_t>{2 * static_cast<std::int64_t>(count), 2}));
    const ArrowReadOptions names{Want::names, false, nullptr};
    EXPECT_EQ(texts_of(read(std::vector(count, texts("", {"b", "", "a"})), "", names)).size(), 3 * count);
  }
  EXPECT_EQ(said({numbers<double>("", "g", {1, 2}, {true, false})}),
            "t, row 1: the value is null; fill it or drop the row");
  EXPECT_EQ(said({texts("", {"b"})}), "t holds text where numbers are needed");
  Node cut = numbers<double>("", "g", {1, 2});
  cut.buffers.pop_back();
  EXPECT_EQ(said({cut}), "t is not a well-formed Arrow array: 1 buffer where 2 are needed");
}

TEST(ArrowStream, AnArrayWithoutAStream) {
  const auto once = [](const Node& node) {
    ArrowSchema schema;
    ArrowArray array;
    export_to(node, &schema);
    export_to(node, &array);
    const Array a = read_arrow_array(&schema, &array, "t");
    EXPECT_EQ(complaint([&] { (void)read_arrow_array(&schema, &array, "t"); }),
              "t is an Arrow array that has been read already");
    return values_of(a);
  };
  EXPECT_EQ(once(numbers<double>("", "g", {4, 5})), (Doubles{4, 5}));
  EXPECT_EQ(once(batch({numbers<double>("x", "g", {1, 2}), numbers<double>("y", "g", {3, 4})})),
            (Doubles{1, 3, 2, 4}));
  EXPECT_EQ(alive(), 0);
  ArrowSchema schema;
  ArrowArray array;
  export_to(texts("", {"a"}), &schema);
  export_to(texts("", {"a"}), &array);
  EXPECT_EQ(complaint([&] { (void)read_arrow_array(&schema, &array, "t"); }),
            "t holds text where numbers are needed");
  EXPECT_EQ(alive(), 0);
}

TEST(ArrowStream, NothingIsLeftUnreleased) {
  (void)read({batch({numbers<double>("x", "g", {1})}), batch({numbers<double>("x", "g", {2})})});
  EXPECT_EQ(alive(), 0);
  Stream broken{{batch({numbers<double>("x", "g", {1})})}};
  broken.fail_at = 1;
  ArrowArrayStream c = broken.start();
  EXPECT_EQ(complaint([&] { (void)read_arrow_stream(&c, "t", ""); }), "t cannot be read: the disk is gone");
  EXPECT_EQ(alive(), 0);
  EXPECT_EQ(complaint([&] { (void)read_arrow_stream(&c, "t", ""); }),
            "t is an Arrow stream that has been read already");
}

TEST(ArrowStream, WhatIsTooMuchForMemoryIsTheSame) {
  std::vector<Node> batches;
  Doubles expected;
  for (int b = 0; b < 40; ++b) {
    std::vector<float> values;
    for (int i = 0; i < 300; ++i) values.push_back(static_cast<float>(b * 1000 + i));
    expected.insert(expected.end(), values.begin(), values.end());
    batches.push_back(batch({numbers<float>("x", "f", values)}));
  }
  EXPECT_EQ(values_of(read(batches, "", {Want::numbers, false, nullptr, 5000})), expected);
  batches.push_back(batch({numbers<float>("x", "f", {1, 2}, {true, false})}));
  const Doubles wide = values_of(read(batches, "", {Want::numbers, true, nullptr, 5000}));
  EXPECT_TRUE(std::isnan(wide.back()));
  EXPECT_EQ(Doubles(wide.begin(), wide.begin() + 12000), expected);
}

TEST(ArrowStream, EmptyBatches) {
  const Node none = batch({numbers<double>("x", "g", {})}), two = batch({numbers<double>("x", "g", {1, 2})});
  EXPECT_EQ(values_of(read({none, two, none, two})), (Doubles{1, 2, 1, 2}));
  EXPECT_EQ(read({none}).shape, (std::vector<std::int64_t>{0}));
}

TEST(ArrowStream, TypesWithoutMeaning) {
  const auto of = [](const std::string& format) {
    return std::vector{batch({{format, "x", 0, 0, 0, {}, {}, {}}})};
  };
  const std::string cast = ", which no flag takes; cast it to text or to a number";
  EXPECT_EQ(said(of("tsu:UTC")), "t, column \"x\" holds timestamps" + cast);
  EXPECT_EQ(said(of("tdD")), "t, column \"x\" holds dates" + cast);
  EXPECT_EQ(said(of("d:10,2")),
            "t, column \"x\" holds decimals, which no flag takes; cast it to float64 or int64");
  EXPECT_EQ(said(of("z")), "t, column \"x\" holds binary values, which no flag takes; cast it to text");
  EXPECT_EQ(said(of("+m")), "t, column \"x\" holds maps, which no flag takes; give each key a column");
  EXPECT_EQ(said(of("q")),
            "t, column \"x\" is of the Arrow type \"q\", which is not read; cast it to text or to a number");
  const Node inner = list_of("item", numbers<double>("item", "g", {1}), {0, 1});
  EXPECT_EQ(said({batch({list_of("x", inner, {0, 1})})}),
            "t, column \"x\" holds lists of lists, which no flag takes; give each inner list a column");
  EXPECT_EQ(said({{"tdD", "", 0, 0, 0, {}, {}, {}}}), "t holds dates" + cast);
  EXPECT_EQ(said({batch({})}), "t has no columns");
}

TEST(ArrowStream, MalformedArrays) {
  const std::string bad = "t, column \"x\" is not a well-formed Arrow array: ";
  Node x = numbers<double>("x", "g", {1, 2});
  Node b = batch({x});
  b.length = 3;
  EXPECT_EQ(said({b}), bad + "a child has 2 values where 3 are needed");
  x.buffers.pop_back();
  EXPECT_EQ(said({batch({x})}), bad + "1 buffer where 2 are needed");
  x.buffers.emplace_back(std::nullopt);
  EXPECT_EQ(said({batch({x})}), bad + "the values are absent");
  x = numbers<double>("x", "g", {1, 2});
  x.null_count = 1;
  EXPECT_EQ(said({batch({x})}), bad + "nulls are counted, but not marked");
  Node t = texts("x", {"ab", "c"});
  t.buffers[1] = bytes_of<std::int32_t>({0, 2, 1});
  EXPECT_EQ(said({batch({t})}, "", {Want::text, false, nullptr}), bad + "the offsets of the texts decrease");
  EXPECT_EQ(said({batch({texts("x", {"\xff"})})}, "", {Want::text, false, nullptr}),
            "t, row 0, column \"x\": the text is not UTF-8");
  EXPECT_EQ(said({batch({list_of("x", numbers<double>("item", "g", {1}), {0, 2})})}),
            bad + "a child has 1 value where 2 are needed");
}

TEST(Mutation, ArrowStream) {
  std::mt19937 random(8);
  int good = 0, refused = 0;
  constexpr int kRounds = 20000;
  for (int i = 0; i < kRounds; ++i) {
    std::string bytes(static_cast<std::size_t>(16 + random() % 300), '\0');
    for (char& c : bytes) c = static_cast<char>(random() % 4 == 0 ? random() : 1 + random() % 15);
    Stream stream = any_stream(bytes);
    ArrowArrayStream c = stream.start();
    try {
      const Array a = read_arrow_stream(&c, "m", "", {static_cast<Want>(i % 4), i % 3 == 0, nullptr});
      if (a.dtype != DType::text && a.size() > 0) (void)values_of(a);
      ++good;
    } catch (const InputError& e) {
      EXPECT_FALSE(std::string(e.what()).empty());
      ++refused;
    }
    ASSERT_EQ(alive(), 0);
  }
  EXPECT_GT(good, kRounds / 100);
  EXPECT_GT(refused, kRounds / 100);
}

}  // namespace
}  // namespace plumb
