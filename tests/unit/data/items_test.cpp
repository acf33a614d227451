#include "plumb/data/items.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "plumb/numeric/random.hpp"
#include "unit/data/complaint.hpp"

namespace plumb {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
using Words = std::vector<std::string>;

Rows column(std::vector<double> values, const std::string& name) {
  const auto n = static_cast<std::int64_t>(values.size());
  return Rows(array_of(std::move(values), {n}, name));
}
Rows words(Words values, const std::string& name) {
  const auto n = static_cast<std::int64_t>(values.size());
  return Rows(array_of(std::move(values), {n}, name));
}

Items binary_items() {
  Items items;
  items.predictions = Predictions({column({0.1, 0.6, 0.8}, "probs.npy")}, Scale::probability);
  items.votes = Votes::from_labels(column({0, 1, 0}, "labels.npy"), 2);
  return items;
}

TEST(Items, ABlockHoldsEverything) {
  Items items = binary_items();
  items.weights = column({1, 0, 2.5}, "w.npy");
  items.truth = column({0, 0.5, 1}, "t.npy");
  EXPECT_NO_THROW(check_items(items));
  ItemBlock block;
  read_items(items, 1, 3, block);
  EXPECT_EQ(block.begin, 1);
  EXPECT_EQ(block.size, 2);
  EXPECT_TRUE(block.binary());
  EXPECT_EQ(block.z.z, (std::vector<double>{0.6, 0.8}));
  EXPECT_EQ(block.votes.cls, (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ(block.weight, (std::vector<double>{0, 2.5}));
  EXPECT_EQ(block.truth, (std::vector<double>{0.5, 1}));
  read_items(binary_items(), 0, 1, block);  // a block that is used again keeps nothing of the last
  EXPECT_TRUE(block.weight.empty() && block.truth.empty());
}

TEST(Items, WithoutVotesNoItemHasAny) {
  Items items = binary_items();
  items.votes = Votes();
  EXPECT_NO_THROW(check_items(items));
  ItemBlock block;
  read_items(items, 0, 3, block);
  EXPECT_FALSE(block.votes.single);
  EXPECT_EQ(block.votes.size, 3);
  for (std::int64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(block.votes.votes(i), 0u);
    EXPECT_EQ(block.votes.hits(i, 1), 0u);
    EXPECT_EQ(block.votes.majority(i), -1);
  }
}

TEST(Items, LengthsMustAgree) {
  const auto with = [](auto change) {
    Items items = binary_items();
    change(items);
    return complaint([&] { check_items(items); });
  };
  EXPECT_EQ(with([](Items&) {}), "no complaint");
  EXPECT_EQ(
      with([](Items& i) {
        i.votes = Votes::from_labels(column({0, 1}, "labels.npy"), 2);
      }),
      "probs.npy has 3 rows but labels.npy has 2 rows; both must describe the same items in the same order");
  EXPECT_NE(with([](Items& i) { i.weights = column({1}, "w.npy"); }).find("w.npy has 1 row"),
            std::string::npos);
  EXPECT_NE(with([](Items& i) { i.truth = column({1}, "t.npy"); }).find("t.npy has 1 row"),
            std::string::npos);
  EXPECT_NE(with([](Items& i) { i.groups = Names(words({"a"}, "g.csv")); }).find("g.csv has 1 row"),
            std::string::npos);
  EXPECT_NE(with([](Items& i) { i.by = {Names(words({"a"}, "b.csv"))}; }).find("b.csv has 1 row"),
            std::string::npos);
  EXPECT_EQ(with([](Items& i) {
              i.weights = Rows(array_of(std::vector<double>(6, 1.0), {3, 2}, "w.npy"));
            }),
            "w.npy is 3 x 2; weights must be one number per item");
  EXPECT_EQ(with([](Items& i) {
              i.weights = words({"a", "b", "c"}, "w.csv:w");
            }),
            "w.csv:w holds text; weights must be numbers");
  EXPECT_EQ(with([](Items& i) { i.class_names = {"a"}; }),
            ".classes gives 1 name but the predictions have 2 classes; name every class once, in order");
  EXPECT_EQ(
      with([](Items& i) {
        i.votes = Votes::from_labels(column({0, 1, 2}, "labels.npy"), 3);
      }),
      "labels.npy was read for 3 classes but probs.npy has 2; both must have the same number of classes");
}

TEST(Items, ConcentrationsAreOneAnItemOrOneASample) {
  Items items = binary_items();
  items.concentration = {column({1, 2, 3}, "alpha.npy")};
  EXPECT_NO_THROW(check_items(items));
  EXPECT_EQ(items.gather(std::vector<std::int64_t>{2}).concentration.front().rows(), 1);
  items.concentration.push_back(column({1, 2, 3}, "beta.npy"));
  EXPECT_EQ(
      complaint([&] { check_items(items); }),
      "alpha.npy has 2 samples but probs.npy has 1 sample; give one concentration per item, or one per item and sample");
  items.concentration = {column({1, 2}, "alpha.npy")};
  EXPECT_NE(complaint([&] { check_items(items); }).find("alpha.npy has 2 rows"), std::string::npos);
}

TEST(Items, TruthIsForBinaryTasks) {
  Items items;
  items.predictions = Predictions({Rows(array_of(std::vector<double>{0.2, 0.3, 0.5}, {1, 3}, "probs.npy"))},
                                  Scale::probability);
  items.truth = column({0.5}, "t.npy");
  EXPECT_EQ(
      complaint([&] { check_items(items); }),
      "t.npy gives true probabilities of class 1 but probs.npy has 3 classes; .truth is for binary tasks");
}

TEST(Items, BadWeightsAndTruthAreNamed) {
  ItemBlock block;
  for (const double bad : {-1.0, kNaN, kInf, 1e13}) {
    Items items = binary_items();
    items.weights = column({1, bad, -2}, "w.npy");
    EXPECT_EQ(complaint([&] { read_items(items, 0, 3, block); }),
              "w.npy, row 1 is " + show(bad) + "; a weight must be a number from 0 to 1e12");
  }
  for (const double bad : {-0.5, 1.5, kNaN}) {
    Items items = binary_items();
    items.truth = column({1, 0, bad}, "t.npy");
    EXPECT_EQ(complaint([&] { read_items(items, 1, 3, block); }),
              "t.npy, row 2 is " + show(bad) + "; a true probability must lie in [0, 1]");
  }
}

TEST(Items, GatherTakesEveryColumn) {
  Items items = binary_items();
  items.weights = column({1, 2, 3}, "w");
  items.truth = column({0.1, 0.2, 0.3}, "t");
  items.groups = Names(words({"a", "b", "a"}, "g"));
  items.by = {Names(words({"x", "y", "z"}, "b"))};
  items.class_names = {"no", "yes"};
  const std::vector<std::int64_t> rows = {2, 1};
  const Items part = items.gather(rows);
  EXPECT_NO_THROW(check_items(part));
  EXPECT_EQ(part.size(), 2);
  ItemBlock block;
  read_items(part, 0, 2, block);
  EXPECT_EQ(block.z.z, (std::vector<double>{0.8, 0.6}));
  EXPECT_EQ(block.votes.cls, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(block.weight, (std::vector<double>{3, 2}));
  EXPECT_EQ(block.truth, (std::vector<double>{0.3, 0.2}));
  EXPECT_EQ(part.groups.name(1), "b");
  EXPECT_EQ(part.by.front().distinct(), (Words{"y", "z"}));
  EXPECT_EQ(part.class_names, items.class_names);
  EXPECT_NO_THROW(check_items(binary_items().gather(rows)));
}

TEST(Items, ConsensusReplacesTheVotesAlone) {
  Items items = binary_items();
  items.votes = Votes::from_counts(Rows(array_of(std::vector<double>{3, 1, 2, 2, 0, 1}, {3, 2}, "c")), 2);
  items.weights = column({1, 2, 3}, "w");
  const Items majority = consensus(items, {Ties::lowest}, 2).items;
  ItemBlock block;
  read_items(majority, 0, 3, block);
  EXPECT_TRUE(block.votes.single);
  EXPECT_EQ(block.votes.cls, (std::vector<std::uint32_t>{0, 0, 1}));
  EXPECT_EQ(block.weight, (std::vector<double>{1, 2, 3}));
}

TEST(Items, BlocksFitTheCache) {
  EXPECT_EQ(block_rows(binary_items()), 4096);
  Items wide;
  wide.predictions =
      Predictions({Rows(array_of(std::vector<double>(1000, 0.001), {1, 1000}, "p"))}, Scale::probability);
  EXPECT_EQ(block_rows(wide), 16);
  wide.predictions =
      Predictions({Rows(array_of(std::vector<double>(100000, 1e-5), {1, 100000}, "p"))}, Scale::probability);
  EXPECT_EQ(block_rows(wide), 1);
  EXPECT_GE(block_rows(Items()), 1);
}

TEST(Units, RowsOrGroups) {
  Items items = binary_items();
  const Units rows(items);
  EXPECT_FALSE(rows.grouped());
  EXPECT_EQ(rows.count(), 3);
  std::vector<std::uint64_t> unit(2);
  rows.read(1, 3, unit);
  EXPECT_EQ(unit, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(rows.unit_of(2), 2u);

  items.groups = Names(words({"b", "a", "b"}, "g"));
  const Units groups(items);
  EXPECT_TRUE(groups.grouped());
  EXPECT_EQ(groups.count(), 2);
  unit.resize(3);
  groups.read(0, 3, unit);
  EXPECT_EQ(unit, (std::vector<std::uint64_t>{hash_name("b"), hash_name("a"), hash_name("b")}));
  EXPECT_EQ(groups.unit_of(1), hash_name("a"));
}

TEST(Units, AGroupKeepsItsUnitInAnyFileAndOrder) {
  Items numbers = binary_items(), text = binary_items();
  numbers.groups = Names(column({10, 2, 10}, "g.npy"));
  text.groups = Names(words({"2", "10", "zebra"}, "g.csv"));
  EXPECT_EQ(Units(numbers).unit_of(0), Units(text).unit_of(1));
  EXPECT_EQ(Units(numbers).unit_of(1), Units(text).unit_of(0));
  EXPECT_NE(Units(text).unit_of(2), Units(text).unit_of(0));
}

TEST(OrdinaryWeights, OnlyVerySmallOnesAreScaledAndByAPowerOfTwo) {
  int exponent = -1;
  const Rows usual(array_of(std::vector<double>{0, 1e-8, 0x1p-30}, {3}, "w"));
  std::vector<double> out(3);
  ordinary_weights(usual, &exponent).read(0, 3, out);
  EXPECT_EQ(exponent, 0);
  EXPECT_EQ(out, (std::vector<double>{0, 1e-8, 0x1p-30}));
  ordinary_weights(Rows(array_of(std::vector<double>{0, 3 * 0x1p-1000, 0x1p-1000}, {3}, "w")), &exponent)
      .read(0, 3, out);
  EXPECT_EQ(exponent, 999);
  EXPECT_EQ(out, (std::vector<double>{0, 1.5, 0.5}));
  ordinary_weights(Rows(array_of(std::vector<double>{0, 0, 0}, {3}, "w")), &exponent).read(0, 3, out);
  EXPECT_EQ(exponent, 0);
}

}  // namespace
}  // namespace plumb
