#include "plumb/report/json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "unit/report/approved.hpp"
#include "unit/report/sample_results.hpp"

namespace plumb {
namespace {

using nlohmann::json;

TEST(Json, Approved) {
  expect_approved("labels.json", render_json(sample::labels()));
  expect_approved("raters.json", render_json(sample::raters()));
}

TEST(Json, FloatsReadBackExactly) {
  const double values[] = {
      0.1, 1.0 / 3, std::nextafter(0.5, 1.0), 5e-324, 1.7976931348623157e308, -0.0, 123456789.123456789};
  Result r = sample::labels();
  r.metrics.clear();
  for (std::size_t i = 0; i < std::size(values); ++i)
    r.metrics.emplace_back("k" + std::to_string(i), MetricResult{.value = values[i]});
  const json read = json::parse(render_json(r));
  for (std::size_t i = 0; i < std::size(values); ++i) {
    const double x = read["metrics"]["k" + std::to_string(i)]["value"];
    EXPECT_EQ(x, values[i]);
    EXPECT_EQ(std::signbit(x), std::signbit(values[i]));
  }
}

TEST(Json, UndefinedIsNullWithItsReason) {
  const json read = json::parse(render_json(sample::labels()));
  EXPECT_TRUE(read["metrics"]["nll"]["value"].is_null());
  EXPECT_EQ(read["metrics"]["nll"]["why"], "3 votes fell on probability 0; use `clip` to bound them");
  EXPECT_FALSE(read["metrics"]["ece"].contains("why"));
}

TEST(Json, OptionsAreQuotedInSentencesAndDataStay) {
  Result r = sample::labels();
  r.notes = {"give ⟦save_state⟧ a name"};
  r.class_names = {"⟦a⟧", "b", "c"};
  Tree::Members row, section;
  row.emplace_back("why", Value(std::string("see ⟦bins⟧")));
  row.emplace_back("id", Value(std::string("⟦a⟧")));
  section.emplace_back("rows", Tree::List{Tree(row)});
  r.sections.emplace_back("section", section);
  const json read = json::parse(render_json(r));
  EXPECT_EQ(read["notes"][0], "give `save_state` a name");
  EXPECT_EQ(read["section"]["rows"][0]["why"], "see `bins`");
  EXPECT_EQ(read["section"]["rows"][0]["id"], "⟦a⟧");
  EXPECT_EQ(read["class_names"][0], "⟦a⟧");
}

TEST(Json, NotFiniteIsAFaultThatIsNamed) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    Result r = sample::labels();
    r.metrics[0].second.value = bad;
    try {
      (void)render_json(r);
      ADD_FAILURE() << "no exception";
    } catch (const std::logic_error& e) {
      EXPECT_NE(std::string(e.what()).find("accuracy"), std::string::npos) << e.what();
    }
    Result s = sample::labels();
    s.tables[0].second.rows[0][0] = bad;
    EXPECT_THROW((void)render_json(s), std::logic_error);
  }
}

TEST(Json, TextThatIsNoUtf8IsStillJson) {
  Result r = sample::labels();
  r.argv.emplace_back("caf\xe9.npy");
  r.class_names = {"a\"b", "tab\t", "\xff"};
  const json read = json::parse(render_json(r));
  EXPECT_EQ(read["class_names"][0], "a\"b");
  EXPECT_EQ(read["class_names"][1], "tab\t");
}

TEST(Json, OneLineForEachMetric) {
  const std::string text = render_json(sample::raters());
  const auto at = text.find("\"ece\": {");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(text.substr(at, text.find('\n', at) - at).back(), ',');
  EXPECT_TRUE(text.ends_with("}\n"));
}

TEST(Json, ListHasEveryRowOfTheRegistry) {
  const json read = json::parse(render_list_json(kMetrics, "1.2.3"));
  ASSERT_EQ(read["metrics"].size(), std::size(kMetrics));
  EXPECT_EQ(read["metrics"][0]["key"], "accuracy");
  EXPECT_EQ(read["metrics"][0]["better"], "higher");
  EXPECT_EQ(read["metrics"][0]["high"], 1.0);
  for (const json& row : read["metrics"]) {
    if (row["key"] == "nll") {
      EXPECT_TRUE(row["high"].is_null()) << "unbounded is null";
    }
    if (row["key"] == "mse_p") {
      EXPECT_EQ(row["needs"], "truth");
    }
    if (row["key"] == "ece") {
      EXPECT_EQ(row["interval"], "inversion");
    }
  }
}

}  // namespace
}  // namespace plumb
