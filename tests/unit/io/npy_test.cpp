#include "plumb/io/npy.hpp"

#include <gtest/gtest.h>

#include "unit/io/files.hpp"

namespace plumb {
namespace {

Array parse(const std::string& bytes) {
  const auto kept = std::make_shared<const std::string>(bytes);
  return parse_npy(as_span(*kept), kept, "a.npy");
}
std::string said(const std::string& bytes) {
  return complaint([&] { (void)parse(bytes); });
}

TEST(Npy, ReadsANumpyFile) {
  // Golden: the bytes that numpy 1.24 writes for np.array([[1, 2, 3], [4, 5, 6]], dtype='<i2').
  std::string header = "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }";
  header.resize(117, ' ');
  const Array a = parse(npy(header + "\n", raw<std::int16_t>({1, 2, 3, 4, 5, 6})));
  EXPECT_EQ(a.dtype, DType::i16);
  EXPECT_EQ(a.shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(values_of(a), (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST(Npy, EveryTypeOfTheContract) {
  const struct {
    const char* descr;
    DType dtype;
    std::string data;  // one element with the value 3
  } kTypes[] = {
      {"|i1", DType::i8, little(3, 1)},       {"<i2", DType::i16, little(3, 2)},
      {"<i4", DType::i32, little(3, 4)},      {"<i8", DType::i64, little(3, 8)},
      {"|u1", DType::u8, little(3, 1)},       {"<u2", DType::u16, little(3, 2)},
      {"<u4", DType::u32, little(3, 4)},      {"<u8", DType::u64, little(3, 8)},
      {"<f2", DType::f16, little(0x4200, 2)}, {"<f4", DType::f32, raw<float>({3})},
      {"<f8", DType::f64, raw<double>({3})},
  };
  for (const auto& t : kTypes) {
    std::string descr = t.descr;
    Array a = parse(npy_of(descr, "(1,)", t.data));
    EXPECT_EQ(a.dtype, t.dtype) << descr;
    EXPECT_EQ(values_of(a), std::vector<double>{3}) << descr;
    descr[0] = '>';
    EXPECT_EQ(values_of(parse(npy_of(descr, "(1,)", std::string(t.data.rbegin(), t.data.rend())))),
              std::vector<double>{3})
        << descr;
    descr[0] = '=';
    EXPECT_EQ(values_of(parse(npy_of(descr, "(1,)", t.data))), std::vector<double>{3}) << descr;
  }
  const Array truth = parse(npy_of("|b1", "(2,)", std::string("\0\1", 2)));
  EXPECT_EQ(truth.dtype, DType::u8);
  EXPECT_EQ(values_of(truth), (std::vector<double>{0, 1}));
}

TEST(Npy, FortranOrder) {
  const Array a = parse(npy_of("<f4", "(2, 3)", raw<float>({1, 4, 2, 5, 3, 6}), "True"));
  EXPECT_EQ(values_of(a), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_FALSE(a.is_contiguous());
}

TEST(Npy, VersionsTwoAndThreeAndOddHeaders) {
  const std::string dict = "{ 'shape' : ( 2L, ) , \"descr\":'<f8','fortran_order':False}";
  for (int version = 1; version <= 3; ++version) {
    EXPECT_EQ(values_of(parse(npy(dict, raw<double>({7, 8}), version))), (std::vector<double>{7, 8}))
        << version;
  }
  EXPECT_TRUE(parse(npy_of("<f8", "()", raw<double>({7}))).shape.empty());
  EXPECT_EQ(parse(npy_of("<f8", "(0, 3)", "")).size(), 0);
}

TEST(Npy, IsNotCopied) {
  const auto kept = std::make_shared<const std::string>(npy_of("<f8", "(2,)", raw<double>({1, 2})));
  const Array a = parse_npy(as_span(*kept), kept, "a.npy");
  EXPECT_EQ(reinterpret_cast<const char*>(a.data) + 16, kept->data() + kept->size());
  EXPECT_EQ(a.owner.get(), kept.get());
}

TEST(Npy, Text) {
  const auto utf32 = [](std::initializer_list<std::uint32_t> c) {
    return raw(std::vector<std::uint32_t>(c));
  };
  const Array u = parse(npy_of("<U2", "(2, 2)", utf32({'a', 0, 'b', 0xe9, 0x1f600, 0, 0, 0})));
  EXPECT_EQ(u.dtype, DType::text);
  EXPECT_EQ(texts_of(u), (std::vector<std::string>{"a", "b\xc3\xa9", "\xf0\x9f\x98\x80", ""}));
  const Array f = parse(npy_of("|S2", "(2, 2)", std::string("a\0c\0bbdd", 8), "True"));
  EXPECT_EQ(texts_of(f), (std::vector<std::string>{"a", "bb", "c", "dd"}));
  EXPECT_EQ(texts_of(parse(npy_of(">U1", "(1,)", std::string("\0\0\0x", 4)))), std::vector<std::string>{"x"});
  EXPECT_EQ(said(npy_of("|S2", "(1,)", "\xff\xfe")),
            "a.npy holds text that is not Unicode; save it again from strings");
  EXPECT_EQ(said(npy_of("<U1", "(1,)", utf32({0x110000}))),
            "a.npy holds text that is not Unicode; save it again from strings");
}

TEST(Npy, WhatCannotBeReadSaysSoAndWhatToDo) {
  const std::string remedy = "; save it as numbers, for example with a.astype(\"float64\")";
  EXPECT_EQ(
      said(npy_of("|O", "(1,)", "x")),
      "a.npy holds Python objects, which Plumb does not load; save numbers with a.astype(\"float64\"), text with a.astype(str)");
  EXPECT_EQ(said(npy_of("<c16", "(1,)", "x")),
            "a.npy holds complex numbers (<c16), which Plumb does not read" + remedy);
  EXPECT_EQ(said(npy_of("<M8[D]", "(1,)", "x")),
            "a.npy holds dates or time spans, which Plumb does not read" + remedy);
  EXPECT_EQ(said(npy_of("<f16", "(1,)", "x")),
            "a.npy has the type \"<f16\", which Plumb does not read" + remedy);
  EXPECT_EQ(said(npy_of("|V4", "(1,)", "xxxx")),
            "a.npy holds raw or structured records, which Plumb does not read; save each field on its own");
  EXPECT_EQ(said(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "xxxx")),
            "a.npy holds structured records, which Plumb does not read; save each field on its own");
  for (const char* odd : {"<U0", "", "<", "<i", "<i3", "<f4x", "<f-4", "<U99999999999", "f04 "}) {
    EXPECT_NE(said(npy_of(odd, "(1,)", "xxxxxxxx")), "no complaint") << odd;
  }
}

TEST(Npy, LiesAndDamage) {
  const std::string good = npy_of("<f8", "(2,)", raw<double>({1, 2}));
  EXPECT_EQ(said("hello, world"), "a.npy is not a NumPy file: it does not begin with the .npy signature");
  EXPECT_EQ(said(good.substr(0, 4)), "a.npy ends inside its header; the file is truncated");
  EXPECT_EQ(said(good.substr(0, 9)), "a.npy ends inside its header; the file is truncated");
  EXPECT_EQ(said(good.substr(0, 40)), "a.npy declares a header of " + std::to_string(good.size() - 16) +
                                          " bytes, but the file has 40; it is truncated or damaged");
  EXPECT_EQ(said(good.substr(0, good.size() - 1)),
            "a.npy has 15 bytes of data, but its header (2) requires 16; the file is truncated");
  EXPECT_EQ(
      said(good + "x"),
      "a.npy has 17 bytes of data, but its header (2) requires 16; it is damaged or holds more than one array");
  std::string version = good;
  version[6] = 4;
  EXPECT_EQ(said(version), "a.npy has .npy version 4.0; versions 1.0, 2.0 and 3.0 are known");
  const std::string damaged = "a.npy: the .npy header is damaged: ";
  EXPECT_EQ(said(npy_of("<f8", "(-1,)", "")), damaged + "the shape has a negative extent, -1");
  EXPECT_EQ(said(npy_of("<f8", "(4294967296, 4294967296)", "")),
            damaged + "its shape (4294967296 x 4294967296) exceeds 64 bits");
  EXPECT_EQ(said(npy_of("<f8", "(0, 4294967296, 4294967296)", "")),
            damaged + "its shape (0 x 4294967296 x 4294967296) exceeds 64 bits");
  EXPECT_EQ(said(npy_of("<f8", "(99999999999999999999,)", "")),
            damaged + "an extent of the shape does not fit 64 bits");
  EXPECT_EQ(said(npy_of("<f8", "(1.5,)", "")), damaged + "the shape is not a tuple of whole numbers");
  EXPECT_EQ(said(npy_of("<f8", "(1, 2", "")), damaged + "the shape is not a tuple of whole numbers");
  EXPECT_EQ(said(npy_of("<f8", "(2,)", "", "Maybe")), damaged + "fortran_order is neither True nor False");
  EXPECT_EQ(said(npy("{'descr': '<f8'}", "")), damaged + "one of descr, fortran_order and shape is missing");
  EXPECT_EQ(said(npy("{'descr': '<f8', 'descr': '<f8'}", "")), damaged + "unexpected key \"descr\"");
  EXPECT_EQ(said(npy("{'descr': '<f8' 'shape': ()}", "")),
            damaged + "its entries are not separated by commas");
  EXPECT_EQ(said(npy("__import__('os').system('id')", "")),
            damaged + "expected '{' before \"__import__('os').system('id')\"");
  EXPECT_EQ(said(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} # more", "")),
            damaged + "unexpected \"# more\" after the dictionary");
}

TEST(Npy, WhatIsWrittenReadsBack) {
  const TempDir dir;
  const std::string path = dir / "out.npy";
  const std::vector<std::int64_t> shape = {2, 3};
  const auto check = [&]<class T>(const std::vector<T>& v, DType type) {
    write_npy(path, std::span<const T>(v), shape);
    const Array a = read_npy(path);
    EXPECT_EQ(a.dtype, type);
    EXPECT_EQ(a.shape, shape);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data) % 64, 0u);
    EXPECT_EQ(values_of(a), std::vector<double>(v.begin(), v.end()));
  };
  check(std::vector<double>{0.1, 2, 3, 4, 5, 1e300}, DType::f64);
  check(std::vector<float>{0.1f, 2, 3, 4, 5, 6}, DType::f32);
  check(std::vector<std::int64_t>{-1, 2, 3, 4, 5, 6}, DType::i64);
  check(std::vector<std::uint8_t>{0, 2, 3, 4, 5, 255}, DType::u8);
  EXPECT_THROW(write_npy(path, std::span<const double>(), shape), std::invalid_argument);
}

TEST(Npy, HeaderOfOneAxisIsATuple) {
  const std::string h = npy_header(DType::f64, std::vector<std::int64_t>{5});
  EXPECT_NE(h.find("{'descr': '<f8', 'fortran_order': False, 'shape': (5,), }"), std::string::npos);
  EXPECT_EQ(h.size() % 64, 0u);
  EXPECT_EQ(h.back(), '\n');
}

}  // namespace
}  // namespace plumb
