// Readers against damaged files: a few thousand seeded mutations of good ones. Every mutation is read or
// refused with an InputError; anything else (a crash, another exception, a sanitizer's report) fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "plumb/io/csv.hpp"
#include "plumb/io/json_lines.hpp"
#include "plumb/io/nifti.hpp"
#include "plumb/io/nifti_write.hpp"
#include "plumb/io/npy.hpp"
#include "plumb/io/npz.hpp"
#include "plumb/io/png.hpp"
#include "unit/io/files.hpp"
#include "unit/io/volumes.hpp"

namespace plumb {
namespace {

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::string operator()(std::string s) {
    for (unsigned k = 1 + random_() % 4; k > 0; --k) mutate(s);
    return s;
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  void mutate(std::string& s) {
    static const std::string kNumbers[] = {std::string(4, '\xff'), std::string(8, '\xff'),
                                           little(0x7fffffff, 4),  little(0, 4),
                                           little(1, 8),           "18446744073709551615"};
    static const std::string kPieces[] = {"\"", ",", "\n", "\r\n", "(", ")",   "'",
                                          "{",  "}", "-",  "nan",  ":", "True"};
    const std::size_t at = below(s.size());
    switch (random_() % 8) {
      case 0:
        if (!s.empty()) s[at] = static_cast<char>(s[at] ^ (1 << below(8)));
        break;
      case 1:
        if (!s.empty()) s[at] = static_cast<char>(random_());
        break;
      case 2:
        s.resize(at);
        break;
      case 3:
        s.erase(at, below(16));
        break;
      case 4:
        s.insert(at, s.substr(below(s.size()), below(64)));
        break;
      case 5: {
        const std::string& number = kNumbers[below(std::size(kNumbers))];
        s.replace(at, std::min(number.size(), s.size() - at), number);
        break;
      }
      case 6:
        s.insert(at, kPieces[below(std::size(kPieces))]);
        break;
      default:
        s.insert(at, std::string(below(8), '\0'));
        break;
    }
  }

  std::mt19937 random_;
};

/// Counts what was read and what was refused: both must happen, or the mutations are too weak or too strong.
template <class Read>
void run(const std::vector<std::string>& seeds, unsigned seed, int rounds, Read read) {
  Mutator mutate(seed);
  int good = 0, refused = 0;
  for (int i = 0; i < rounds; ++i) {
    const std::string bytes = mutate(seeds[static_cast<std::size_t>(i) % seeds.size()]);
    try {
      read(bytes);
      ++good;
    } catch (const InputError& e) {
      EXPECT_FALSE(std::string(e.what()).empty());
      ++refused;
    }
  }
  EXPECT_GT(good, rounds / 100);
  EXPECT_GT(refused, rounds / 100);
}

void use(const Array& a) {
  if (a.shape.empty() || a.dtype == DType::text || a.size() == 0) return;
  (void)values_of(a);
}

TEST(Mutation, Npy) {
  run({npy_of("<f8", "(4,)", raw<double>({1, 2, 3, 4})),
       npy_of("<f4", "(2, 3)", std::string(24, 'x'), "True"),
       npy_of(">i2", "(2, 2, 2)", std::string(16, 'x')), npy_of("<U2", "(2,)", std::string(16, '\0')),
       npy_of("|S3", "(2, 2)", "abcdefghijkl", "True"),
       npy("{'descr': '|u1', 'fortran_order': False, 'shape': (3,)}", "abc", 2)},
      1, 6000, [](const std::string& bytes) { use(parse_npy(as_span(bytes), nullptr, "m.npy")); });
}

TEST(Mutation, Npz) {
  const std::string a = npy_of("<f8", "(4,)", raw<double>({1, 2, 3, 4}));
  const std::string b = npy_of("|u1", "(300,)", std::string(300, 'b'));
  run({zip({{"a.npy", a}, {"b.npy", b}}), zip({{"a.npy", a, true}, {"b.npy", b, true}}, "comment"),
       zip({{"a.npy", a, true, true}, {"b.npy", b, false, true}})},
      2, 6000, [](const std::string& bytes) {
        for (const std::string& name : npz_names(as_span(bytes), "m.npz")) {
          use(parse_npz(as_span(bytes), nullptr, "m.npz", name));
        }
      });
}

TEST(Mutation, Nifti) {
  const NiftiFile one{.type = kNiftiTypes[0], .shape = {2, 3}, .values = {1, 2, 3, 4, 5, 6}};
  const NiftiFile two{.version = 2, .big = true, .type = kNiftiTypes[3], .shape = {2}, .values = {1, 2}};
  int round = 0;
  run({one.bytes(), two.bytes()}, 4, 6000, [&](const std::string& bytes) {
    const std::string file = ++round % 2 == 0 ? gzipped(bytes) : bytes;
    use(parse_nifti(as_span(file), nullptr, "m.nii").array);
    const NiftiHead head = nifti_head(as_span(file), "m.nii");  // what can be read has a header to keep
    EXPECT_EQ(float_head(head, DType::f32).header.shape, head.header.shape);
  });
  run({gzipped(one.bytes()), one.bytes()}, 5, 3000,
      [](const std::string& bytes) { use(parse_nifti(as_span(bytes), nullptr, "m.nii").array); });
}

TEST(Mutation, Png) {
  int round = 0;
  run({std::string("\0\1\2\3\1\1\2\3\4\1\2\3", 12)}, 6, 6000, [&](const std::string& lines) {
    const int depth = 1 << ++round % 5, width = depth > 8 ? 1 : 24 / depth;
    use(parse_png(as_span(png_file(width, 3, depth, round % 2 == 0 || depth > 8 ? 0 : 3, lines)), "m.png"));
  });
  Mutator mutate(7);
  const std::string good = png_file(3, 3, 8, 0, std::string("\0\1\2\3\1\1\2\3\4\1\2\3", 12));
  for (int i = 0; i < 3000; ++i) {
    const std::string bytes = mutate(good);
    try {
      use(parse_png(as_span(bytes), "m.png"));  // checksums let hardly any through
    } catch (const InputError& e) {
      EXPECT_FALSE(std::string(e.what()).empty());
    }
  }
}

TEST(Mutation, Csv) {
  const std::vector<std::string> seeds = {"p,q,r\n0.5,1,2\n0.25,3,4\n1e-3,5,6\n",
                                          "id,\"na,me\"\r\n1,\"a\"\"b\"\r\n2,\"c\nd\"\r\n",
                                          "\xef\xbb\xbfx\n1\n2\n3\n"};
  int piece = 1;
  run(seeds, 3, 6000, [&](const std::string& bytes) {
    piece = piece % 40 + 1;
    const CsvOptions options{.want = piece % 2 == 0 ? Want::either : Want::numbers,
                             .empty_is_nan = piece % 3 == 0,
                             .threads = 1,
                             .chunk_bytes = static_cast<std::size_t>(piece)};
    const Array a = parse_csv(as_span(bytes), "m.csv", "", options);
    // Law: the cut into pieces changes nothing.
    CsvOptions whole = options;
    whole.chunk_bytes = 1 << 20;
    const Array b = parse_csv(as_span(bytes), "m.csv", "", whole);
    EXPECT_EQ(a.shape, b.shape);
    EXPECT_EQ(a.dtype, b.dtype);
    if (a.dtype == DType::text) {
      EXPECT_TRUE(*a.text == *b.text);
    } else {
      const auto x = values_of(a), y = values_of(b);
      EXPECT_EQ(raw(x), raw(y));
    }
  });
}

TEST(Mutation, JsonLines) {
  const std::vector<std::string> seeds = {
      "{\"p\": 0.5, \"q\": 1}\n{\"p\": 0.25, \"q\": 3}\n{\"q\": 1e-3, \"p\": 2}\n",
      "{\"a\": \"x\\u00e9\\n\", \"b\": {\"c\": \"y\"}}\n\n{\"a\": \"z\", \"b\": {\"c\": null}}\n",
      "{\"z\": [0.5, 0.25, 0.25], \"ok\": true}\r\n{\"z\": [1, 0, 0], \"ok\": false}\r\n"};
  int piece = 1;
  run(seeds, 4, 6000, [&](const std::string& bytes) {
    piece = piece % 40 + 1;
    JsonLinesOptions options{.want = piece % 2 == 0 ? Want::either : Want::text,
                             .empty_is_nan = piece % 3 == 0,
                             .threads = 1,
                             .chunk_bytes = static_cast<std::size_t>(piece)};
    const Array a = parse_json_lines(as_span(bytes), "m.jsonl", "", options);
    // Law: the cut into pieces changes nothing.
    options.chunk_bytes = 1 << 20;
    const Array b = parse_json_lines(as_span(bytes), "m.jsonl", "", options);
    EXPECT_EQ(a.shape, b.shape);
    ASSERT_EQ(a.dtype, b.dtype);
    if (a.dtype == DType::text) {
      EXPECT_TRUE(*a.text == *b.text);
    } else {
      EXPECT_EQ(raw(values_of(a)), raw(values_of(b)));
    }
  });
}

}  // namespace
}  // namespace plumb
