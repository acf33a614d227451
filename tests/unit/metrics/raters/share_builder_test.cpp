#include "plumb/metrics/raters/share_builder.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "plumb/metrics/raters/label_histogram.hpp"
#include "unit/metrics/raters/naive.hpp"

namespace plumb {
namespace {

using test::Simulated;

std::vector<Cells> cells_of(const Simulated& s) { return classwise_cells(s.classes, test::equal_width(15)); }

ShareTerms terms_of(const Simulated& s) {
  const Items items = to_items(s, test::VoteForm::counts);
  ItemBlock block;
  read_items(items, 0, items.size(), block);
  ShareTerms t;
  histogram_terms(block, cells_of(s), t);
  return t;
}

ShareTables build(const Simulated& s, std::span<const std::uint32_t> times = {}) {
  ShareBuilder b(cells_of(s));
  b.update(terms_of(s), times);
  return b.finish();
}

std::vector<std::uint32_t> some_times(std::size_t n, std::uint32_t most) {
  RandomStream rng(5, Purpose::kDemo, 91);
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
  ShareBuilder b(cells_of(s));
  const ShareTerms t = terms_of(s);
  b.update(t);
  b.update(t);
  const ShareTables one = b.finish();
  const ShareCell c = share_cell(one, Population::all, 1, 14);
  EXPECT_EQ(c.items, 2 * kItems);
  EXPECT_EQ(c.votes, 4 * kItems);
  EXPECT_EQ(c.wp.value(), 2.0 * kItems);
  EXPECT_EQ(c.wmu.value(), 2.0 * kItems);
  EXPECT_EQ(c.wsq.value(), -2.0 * kItems);
  EXPECT_EQ(c.wwmm.value(), 2.0 * kItems);
  const std::vector<std::uint32_t> most(kItems, 1u << 24);
  b.update(t, most);
  const double w = 16777216.0;
  EXPECT_EQ(share_cell(b.finish(), Population::all, 1, 14).wwmm.value(), kItems * w * w);
}

TEST(ShareBuilder, RefusesAbsurdTimes) {
  const Simulated s = test::simulate({.n = 3, .classes = 3, .raters = 2});
  EXPECT_THROW((void)build(s, std::vector<std::uint32_t>(3, (1u << 24) + 1)), std::invalid_argument);
}

TEST(ShareBuilder, FinishEmptiesTheBuilder) {
  const Simulated s = test::simulate({.n = 50, .classes = 3, .raters = 2});
  ShareBuilder b(cells_of(s));
  b.update(terms_of(s));
  const ShareTables first = b.finish();
  EXPECT_EQ(b.finish(), ShareTables(cells_of(s)));
  b.update(terms_of(s));
  EXPECT_EQ(b.finish(), first);
}

TEST(ShareBuilder, NoItemsLeaveNothing) {
  Simulated s;
  s.classes = 3;
  ShareTerms t;
  put_forecasts({}, cells_of(s), t);
  EXPECT_EQ(t.size, 0);
}

// Reference: residuals flipped item by item, then eq. 12.
TEST(ShareNull, FlipsTheResidualsOfWholeItems) {
  for (const bool weighted : {false, true}) {
    Simulated s =
        test::simulate({.n = 12000, .classes = 3, .raters = 4, .vary = true, .sharpen = 1.5, .seed = 9});
    if (weighted) test::add_weights(s, 10);
    std::vector<std::int8_t> signs(s.size());
    for (std::size_t i = 0; i < s.size(); ++i) signs[i] = static_cast<std::int8_t>(random_sign(7, 0, i));
    ShareNull null(cells_of(s));
    const ShareTerms t = terms_of(s);
    null.update(t, signs);
    const std::vector<double> out = null.cl_plugin();
    for (int k = 0; k < 3; ++k) {
      std::vector<test::Real> w(15), r(15);
      test::Real total = 0;
      for (std::size_t i = 0; i < s.size(); ++i) {
        const test::Real weight = weighted ? test::Real(s.weight[i]) : 1;
        const test::Real p = test::probability(s, i, k);
        const auto b = static_cast<std::size_t>(std::min(static_cast<int>(static_cast<double>(p) * 15), 14));
        const test::Real mu = static_cast<test::Real>(test::votes_for_class(s, i, k)) / s.votes[i].size();
        w[b] += weight;
        total += weight;
        r[b] += weight * signs[i] * (mu - p);
      }
      test::Real expected = 0;
      for (std::size_t b = 0; b < 15; ++b) expected += w[b] > 0 ? r[b] * r[b] / w[b] / total : 0;
      EXPECT_NEAR(out[static_cast<std::size_t>(k)], static_cast<double>(expected), test::kSums)
          << "class " << k;
    }
    // All signs up: the plug-in loss itself. The first columns alone: the same numbers.
    ShareNull kept(cells_of(s)), first({cells_of(s)[0]});
    const std::vector<std::int8_t> up(s.size(), 1);
    kept.update(t, up);
    first.update(t, up);
    const ShareTables tables = build(s);
    const auto losses = share_losses(tables, Population::all);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(kept.cl_plugin()[k], losses[k].cl_plugin, 1e-15);
    EXPECT_EQ(first.cl_plugin(), std::vector<double>{kept.cl_plugin()[0]});
  }
}

TEST(ShareNull, MergeIsOnePass) {
  for (const bool weighted : {false, true}) {
    Simulated s = test::simulate({.n = 900, .classes = 3, .raters = 3, .seed = 9});
    if (weighted) test::add_weights(s, 10);
    std::vector<std::int8_t> signs(s.size());
    for (std::size_t i = 0; i < s.size(); ++i) signs[i] = static_cast<std::int8_t>(random_sign(7, 0, i));
    ShareNull one(cells_of(s));
    one.update(terms_of(s), signs);
    ShareNull merged(cells_of(s));
    for (const auto& [from, to] : {std::pair<std::size_t, std::size_t>{400, 900}, {0, 400}}) {
      std::vector<std::size_t> rows;
      for (std::size_t i = from; i < to; ++i) rows.push_back(i);
      ShareNull part(cells_of(s));
      part.update(terms_of(test::take(s, rows)), std::span(signs).subspan(from, to - from));
      merged.merge(part);
    }
    EXPECT_EQ(merged.cl_plugin(), one.cl_plugin());
  }
  EXPECT_EQ(ShareNull(classwise_cells(2, {})).cl_plugin(), (std::vector<double>{0, 0}));
}

}  // namespace
}  // namespace plumb
