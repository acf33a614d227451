#include "plumb/metrics/raters/share_builder.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "plumb/metrics/raters/label_histogram.hpp"
#include "unit/metrics/raters/naive.hpp"

namespace plumb {
namespace {

using test::Simulated;

std::vector<BinEdges> edges_of(const Simulated& s) {
  return classwise_edges(s.classes, test::equal_width(15));
}

ShareTerms terms_of(const Simulated& s) {
  const Items items = to_items(s, test::VoteForm::counts);
  ItemBlock block;
  read_items(items, 0, items.size(), block);
  ShareTerms t;
  histogram_terms(block, edges_of(s), t);
  return t;
}

ShareTables build(const Simulated& s, std::span<const std::uint32_t> times = {}) {
  ShareBuilder b(edges_of(s));
  b.update(terms_of(s), times);
  return b.finish();
}

std::vector<std::uint32_t> some_times(std::size_t n, std::uint32_t most) {
  RandomStream rng(5, Purpose::demo, 91);
  std::vector<std::uint32_t> out(n);
  for (std::uint32_t& t : out) t = static_cast<std::uint32_t>(rng.below(most + 1));
  return out;
}

TEST(ShareBuilder, IntegerAndExactPathsGiveTheSameSums) {
  Simulated s = test::simulate({.n = 700, .classes = 4, .raters = 5, .vary = true, .seed = 2});
  const ShareTables plain = build(s);
  EXPECT_EQ(plain, build(s, std::vector<std::uint32_t>(s.size(), 1)));
  s.weight.assign(s.size(), 1.0);
  EXPECT_EQ(plain, build(s));
}

TEST(ShareBuilder, TimesAreWholeWeights) {
  Simulated s = test::simulate({.n = 700, .classes = 3, .raters = 4, .vary = true, .seed = 2});
  for (const std::uint32_t most : {3u, 1u << 24}) {  // powers of two keep every product exact in double
    std::vector<std::uint32_t> times = some_times(s.size(), 3);
    for (std::uint32_t& t : times) t = t < 2 ? t : (most == 3 ? t - 1 : most);
    const ShareTables drawn = build(s, times);
    Simulated w = s;
    for (const std::uint32_t t : times) w.weight.push_back(t);
    ShareTables weighted = build(w);
    EXPECT_GT(weighted.left_out, 0u);  // an item of weight 0 is left out; one that a resample missed is not
    weighted.left_out = drawn.left_out;
    EXPECT_EQ(drawn, weighted);
  }
}

TEST(ShareBuilder, AnItemDrawnTwiceIsTheRowTwiceForPluginLosses) {
  const Simulated s = test::simulate({.n = 400, .classes = 3, .raters = 4, .vary = true, .seed = 2});
  const std::vector<std::uint32_t> times = some_times(s.size(), 3);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < s.size(); ++i) rows.insert(rows.end(), times[i], i);
  Scores drawn, repeated;
  finish_label_histogram(build(s, times), drawn);
  finish_label_histogram(build(test::take(s, rows)), repeated);
  for (const char* key : {"lsq", "cl_plugin", "el_plugin", "el", "dl_plugin", "il"})
    EXPECT_EQ(drawn.at(key).value, repeated.at(key).value) << key;
  EXPECT_NE(drawn.at("cl").value, repeated.at("cl").value);  // distinct items: weight 2 is not the row twice
}

TEST(ShareBuilder, LargestSumsDoNotOverflow) {
  Simulated s;
  constexpr std::size_t kItems = 40000;  // flushed several times; every term is the largest there is
  s.z.assign(kItems, 1.0);
  s.votes.assign(kItems, {1, 1});
  ShareBuilder b(edges_of(s));
  const ShareTerms t = terms_of(s);
  b.update(t);
  b.update(t);
  const ShareTables one = b.finish();
  const ShareBin c = share_bin(one, Population::all, 1, 14);
  EXPECT_EQ(c.items, 2 * kItems);
  EXPECT_EQ(c.votes, 4 * kItems);
  EXPECT_EQ(c.wp.value(), 2.0 * kItems);
  EXPECT_EQ(c.wmu.value(), 2.0 * kItems);
  EXPECT_EQ(c.wsq.value(), -2.0 * kItems);
  EXPECT_EQ(c.wwmm.value(), 2.0 * kItems);
  const std::vector<std::uint32_t> most(kItems, 1u << 24);
  b.update(t, most);
  const double w = 16777216.0;
  EXPECT_EQ(share_bin(b.finish(), Population::all, 1, 14).wwmm.value(), kItems * w * w);
}

TEST(ShareBuilder, RefusesAbsurdTimes) {
  const Simulated s = test::simulate({.n = 3, .classes = 3, .raters = 2});
  EXPECT_THROW((void)build(s, std::vector<std::uint32_t>(3, (1u << 24) + 1)), std::invalid_argument);
}

TEST(ShareBuilder, FinishEmptiesTheBuilder) {
  const Simulated s = test::simulate({.n = 50, .classes = 3, .raters = 2});
  ShareBuilder b(edges_of(s));
  b.update(terms_of(s));
  const ShareTables first = b.finish();
  EXPECT_EQ(b.finish(), ShareTables(edges_of(s)));
  b.update(terms_of(s));
  EXPECT_EQ(b.finish(), first);
}

TEST(ShareBuilder, NoItemsLeaveNothing) {
  Simulated s;
  s.classes = 3;
  ShareTerms t;
  set_forecasts({}, edges_of(s), t);
  EXPECT_EQ(t.size, 0);
}

}  // namespace
}  // namespace plumb
