#include "plumb/io/describe.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "unit/io/files.hpp"

namespace plumb {
namespace {

const ArrayInfo& find(const std::vector<ArrayInfo>& infos, const std::string& member) {
  for (const ArrayInfo& i : infos) {
    if (i.member == member) return i;
  }
  throw std::runtime_error("no entry for " + member);
}

std::vector<std::string> options(const ArrayInfo& info) {
  std::vector<std::string> f;
  for (const ArrayUse& u : info.uses) f.push_back(u.option);
  return f;
}

using Options = std::vector<std::string>;

TEST(Describe, ANumpyFile) {
  const TempDir dir;
  const std::string path =
      dir.write("p.npy", npy_of("<f8", "(2, 2)", raw<double>({0.25, 0.75, 1, 0}), "True"));
  const auto infos = describe_file(path);
  ASSERT_EQ(infos.size(), 1u);
  const ArrayInfo& a = infos[0];
  EXPECT_EQ(a.name, path);
  EXPECT_EQ(a.shape, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(a.dtype, DType::f64);
  EXPECT_TRUE(a.fortran);
  EXPECT_FALSE(a.rows_sum_to_one);  // the columns do, in Fortran order
  EXPECT_EQ(a.min, 0);
  EXPECT_EQ(a.max, 1);
  EXPECT_FALSE(a.integers);
}

TEST(Describe, AnArchiveAndItsUses) {
  const TempDir dir;
  const double nan = std::nan("");
  const auto f8 = [](const char* shape, const std::vector<double>& v) {
    return npy_of("<f8", shape, raw(v));
  };
  const auto infos =
      describe_file(dir.write("a.npz", zip({{"probs.npy", f8("(2, 2)", {0.25, 0.75, 1, 0}), true},
                                            {"logits.npy", f8("(2, 2)", {-1.5, 2, 0, 1})},
                                            {"labels.npy", npy_of("|u1", "(3,)", std::string("\0\1\0", 3))},
                                            {"site.npy", f8("(3,)", {-5, -4, -4})},
                                            {"id.npy", f8("(3,)", {12, 10, 11})},
                                            {"counts.npy", npy_of("|u1", "(2, 2)", "\5\1\3\4")},
                                            {"ratings.npy", f8("(2, 2)", {0, 1, nan, 2})},
                                            {"samples.npy", f8("(2, 1, 2)", {0.5, 0.5, 0.25, 0.75})},
                                            {"sigma.npy", f8("(2,)", {0.5, 3.5})},
                                            {"bad.npy", npy_of("|O", "(1,)", "x")},
                                            {"words.npy", npy_of("|S1", "(3,)", "bab")}})));
  EXPECT_EQ(options(find(infos, "probs")), Options{"probs"});
  EXPECT_EQ(find(infos, "probs").uses[0].why, "rows sum to 1");
  EXPECT_EQ(options(find(infos, "logits")), Options{"logits"});
  EXPECT_EQ(options(find(infos, "labels")), Options{"labels"});
  EXPECT_EQ(find(infos, "labels").uses[0].why, "whole numbers 0 and 1");
  EXPECT_EQ(options(find(infos, "site")), Options{"groups"});
  EXPECT_EQ(options(find(infos, "id")), (Options{"labels", "groups", "ids"}));
  EXPECT_EQ(options(find(infos, "counts")), (Options{"counts", "ratings"}));
  EXPECT_EQ(options(find(infos, "ratings")), Options{"ratings"});
  EXPECT_TRUE(find(infos, "ratings").has_nan);
  EXPECT_EQ(options(find(infos, "samples")), Options{"samples"});
  EXPECT_EQ(options(find(infos, "sigma")), (Options{"mean", "targets", "std", "variance"}));
  EXPECT_NE(find(infos, "bad").problem, "");
  EXPECT_EQ(find(infos, "words").distinct, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(find(infos, "words").uses[0].why, "text; with ⟦classes⟧ in the order of your probabilities: a,b");
}

TEST(Describe, ColumnsAndGroupsOfACsv) {
  const TempDir dir;
  const std::string path = dir.write("v.csv",
                                     "id,p_a,p_b,r1,r2,r3,r4,\"x,y\",E\n"
                                     "n1,0.5,0.5,0,1,,2,1.5,-2\n"
                                     "n2,0.25,0.75,1,1,0,NA,-2,1e3\n");
  const auto infos = describe_file(path);
  EXPECT_EQ(options(find(infos, "id")), (Options{"ids", "groups"}));  // no value twice
  EXPECT_EQ(find(infos, "id").distinct, (std::vector<std::string>{"n1", "n2"}));
  EXPECT_EQ(options(find(infos, "p_a")), (Options{"probs", "std", "variance"}));
  EXPECT_EQ(options(find(infos, "p_a,p_b")), Options{"probs"});
  EXPECT_EQ(options(find(infos, "r*")), Options{"ratings"});
  EXPECT_EQ(find(infos, "r*").missing, 2);
  EXPECT_EQ(find(infos, "r*").shape, (std::vector<std::int64_t>{2, 4}));
  EXPECT_EQ(find(infos, "\"x,y\"").min, -2);
  EXPECT_EQ(find(infos, "E").max, 1000);
  EXPECT_EQ(infos.size(), 9u + 2u);
}

TEST(Describe, ManyDistinctTextsAreNotListed) {
  const TempDir dir;
  std::string text = "id\n";
  for (int i = 0; i < 30; ++i) text += "n" + std::to_string(i) + "\n";
  const auto infos = describe_file(dir.write("v.csv", text));
  EXPECT_TRUE(infos[0].distinct.empty());
  EXPECT_EQ(options(infos[0]), (Options{"ids", "groups"}));
}

TEST(Describe, AWholeFileOfColumnsIsNamedWithoutSelection) {
  const TempDir dir;
  const std::string path = dir.write("p.csv", "0,1\n0.5,0.5\n");
  const auto infos = describe_file(path);
  ASSERT_EQ(infos.size(), 3u);
  EXPECT_EQ(infos[2].name, path);
  EXPECT_EQ(options(infos[2]), Options{"probs"});
}

TEST(Describe, EmptyArraysSuggestNothing) {
  const TempDir dir;
  EXPECT_TRUE(describe_file(dir.write("e.npy", npy_of("<f8", "(0, 3)", "")))[0].uses.empty());
  EXPECT_TRUE(describe_file(dir.write("n.npy", npy_of("<f8", "(1,)", raw<double>({NAN}))))[0].uses.empty());
  EXPECT_TRUE(describe_file(dir.write("e.csv", "a,b\n"))[0].uses.empty());
}

}  // namespace
}  // namespace plumb
