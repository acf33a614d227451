#include "plumb/io/load.hpp"

#include <gtest/gtest.h>

#include "unit/io/files.hpp"

namespace plumb {
namespace {

std::vector<double> all(const Rows& rows) {
  std::vector<double> v(static_cast<std::size_t>(rows.rows() * rows.width()));
  rows.read(0, rows.rows(), v);
  return v;
}
std::vector<double> loaded(const std::vector<std::string>& specs) { return all(load(specs)); }
std::string said(const std::vector<std::string>& specs, LoadOptions options = {}) {
  return complaint([&] { (void)load(specs, options); });
}
std::string f8(const std::string& shape, const std::vector<double>& v) {
  return npy_of("<f8", shape, raw(v));
}

TEST(Load, TheExtensionDecides) {
  const TempDir dir;
  EXPECT_EQ(loaded({dir.write("a.npy", f8("(2,)", {1, 2}))}), (std::vector<double>{1, 2}));
  EXPECT_EQ(loaded({dir.write("a.npz", zip({{"x.npy", f8("(1,)", {3}), true}})) + ":x"}),
            std::vector<double>{3});
  EXPECT_EQ(loaded({dir.write("a.csv", "p,q\n4,5\n") + ":q,p"}), (std::vector<double>{5, 4}));
  EXPECT_EQ(loaded({dir.write("a.TSV", "p\tq\n6\t7\n") + ":q"}), std::vector<double>{7});
}

TEST(Load, TheContentDecidesWhenTheExtensionSaysNothing) {
  const TempDir dir;
  EXPECT_EQ(loaded({dir.write("a", f8("(1,)", {1}))}), std::vector<double>{1});
  EXPECT_EQ(loaded({dir.write("b.dat", zip({{"x.npy", f8("(1,)", {3})}}))}), std::vector<double>{3});
  EXPECT_EQ(loaded({dir.write("c.txt", "p,q\n4,5\n")}), (std::vector<double>{4, 5}));
  EXPECT_EQ(loaded({dir.write("d", "p\tq\n4\t5\n")}), (std::vector<double>{4, 5}));
  EXPECT_EQ(
      said({dir.write("e", std::string("\0\1\2", 3))}),
      dir / "e" +
          " is not in a format that Plumb reads (.npy, .npz, .csv, .tsv, .jsonl, .parquet, .arrow, .nii, .nii.gz, .png)");
}

TEST(Load, FormatsThatCannotBeRead) {
  const TempDir dir;
  const std::string cannot = ", which this version cannot read; ";
  for (const char* name : {"a.nii", "a.nii.gz"})
    EXPECT_EQ(said({dir.write(name, "x")}), dir / name + " is not a NIfTI file: it has fewer than 348 bytes");
  EXPECT_EQ(said({dir.write("a.csv.gz", "\x1f\x8b")}), dir / "a.csv.gz" + " is in gzip format" + cannot +
                                                           "decompress it first, for example with gunzip");
  EXPECT_EQ(said({dir.write("a.xlsx", zip({{"sheet.xml", "x"}}))}),
            dir / "a.xlsx" + " is in Excel format" + cannot + "save the sheet as .csv");
  EXPECT_EQ(said({dir.write("a.csv", f8("(1,)", {1}))}),
            dir / "a.csv" + " is a .npy file under another name; rename it");
  EXPECT_EQ(said({dir.write("b.npy", "p\n1\n")}),
            dir / "b.npy" + " is not a NumPy file: it does not begin with the .npy signature");
}

TEST(Load, ShardsAndPatterns) {
  const TempDir dir;
  for (const int i : {10, 2, 1}) {
    dir.write("part" + std::to_string(i) + ".npy", f8("(1,)", {static_cast<double>(i)}));
  }
  dir.write("other.npy", f8("(1,)", {99}));
  EXPECT_EQ(loaded({dir / "part*.npy"}), (std::vector<double>{1, 2, 10}));
  EXPECT_EQ(loaded({dir / "part?.npy", dir / "other.npy"}), (std::vector<double>{1, 2, 99}));
  EXPECT_EQ(loaded({dir / "part[12].npy"}), (std::vector<double>{1, 2}));
  EXPECT_EQ(said({dir / "none*.npy"}), "no file matches the pattern " + (dir / "none*.npy"));
  dir.write("s1.csv", "p\n1\n");
  dir.write("s2.csv", "q,p\n0,2\n");
  const std::vector<std::string> specs = {dir / "s*.csv:p"};
  const Rows rows = load(specs);
  EXPECT_EQ(all(rows), (std::vector<double>{1, 2}));
  EXPECT_EQ(rows.where(1), dir / "s2.csv:p, row 0 (line 2)");
  EXPECT_EQ(resolve(specs), (std::vector<Source>{{dir / "s1.csv", "p"}, {dir / "s2.csv", "p"}}));
  EXPECT_EQ(said({dir / "s*.csv"}), dir / "s1.csv" + " is 1 but " + (dir / "s2.csv") +
                                        " is 1 x 2; shards must agree in all but the number of rows");
}

TEST(Load, ColonsAndPatternCharactersInNames) {
  const TempDir dir;
  std::filesystem::create_directory(dir / "run:1");
  EXPECT_EQ(loaded({dir.write("run:1/a.csv", "p,x:y\n1,2\n") + ":x:y"}), std::vector<double>{2});
  EXPECT_EQ(loaded({dir.write("b:c.npy", f8("(1,)", {3}))}), std::vector<double>{3});
  EXPECT_EQ(loaded({dir.write("d[1].npy", f8("(1,)", {4}))}), std::vector<double>{4});
  dir.write("w.csv", "p_0,p_1,y\n1,2,3\n");
  EXPECT_EQ(loaded({dir / "w.csv:p_*"}), (std::vector<double>{1, 2}));
}

TEST(Load, Complaints) {
  const TempDir dir;
  EXPECT_EQ(said({dir / "no.csv:p"}), dir / "no.csv" + " does not exist");
  EXPECT_EQ(said({dir / "no.npy"}), dir / "no.npy" + " does not exist");
  EXPECT_EQ(said({""}), "an empty file name was given");
  dir.write("a.npy", f8("(1,)", {1}));
  EXPECT_EQ(said({dir / "a.npy:x"}), dir / "a.npy" + " holds one array; \":x\" selects nothing in it");
  EXPECT_EQ(said({dir / "a.npy:"}),
            dir / "a.npy:" + " ends with a colon; name a column or an array after it");
  EXPECT_EQ(said({dir.write("t.npy", npy_of("|S1", "(1,)", "x"))}),
            dir / "t.npy" + " holds text where numbers are needed");
  EXPECT_EQ(said({dir.write("w.npy", npy_of("<f8", "(4611686018427387, 0)", ""))}),
            dir / "w.npy" + " has rows without values (4611686018427387 x 0)");
  EXPECT_EQ(said({dir.write("s.npy", f8("()", {1}))}),
            dir / "s.npy" + " is a single value; an array with at least one row is needed");
}

TEST(Load, AShardOfNumbersInATextColumnIsText) {
  const TempDir dir;
  const std::vector<std::string> specs = {dir.write("1.csv", "g\n1\n"), dir.write("2.csv", "g\nx\n")};
  const Rows rows = load(specs, {.want = Want::either});
  ASSERT_TRUE(rows.is_text());
  EXPECT_EQ(rows.text(0), "1");
  EXPECT_EQ(rows.text(1), "x");
}

TEST(Load, NaturalOrder) {
  EXPECT_TRUE(natural_less("a2", "a10"));
  EXPECT_FALSE(natural_less("a10", "a2"));
  EXPECT_TRUE(natural_less("a", "a1"));
  EXPECT_TRUE(natural_less("a1b2", "a1b10"));
  EXPECT_TRUE(natural_less("a1", "b0"));
  EXPECT_NE(natural_less("a1", "a01"), natural_less("a01", "a1"));
  EXPECT_FALSE(natural_less("a1", "a1"));
}

}  // namespace
}  // namespace plumb
