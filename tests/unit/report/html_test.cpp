#include "plumb/report/html.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "plumb/data/check.hpp"
#include "plumb/report/json.hpp"
#include "unit/report/approved.hpp"
#include "unit/report/sample_results.hpp"

namespace plumb {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kBadName = "</script><img src=x onerror=alert(1)>";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

NamedResult named(const std::string& name, const Result& r) { return {name, render_json(r)}; }

Json document(const std::vector<NamedResult>& results) { return Json::parse(render_document(results, {})); }

Result with_verdict(const std::string& verdict, double estimate) {
  Result r = sample::raters();
  r.verdict.verdict = verdict;
  r.verdict.estimate = estimate;
  return r;
}

std::vector<std::string> plot_names(const Json& doc) {
  std::vector<std::string> out;
  for (const Json& section : doc["sections"])
    for (const Json& plot : section["plots"]) out.push_back(plot["name"]);
  return out;
}

TEST(Html, PlotsApproved) {
  const std::vector<NamedResult> results{named("raw", sample::raters()), named("after", sample::labels())};
  std::string all;
  for (const PlotFile& plot : render_plots(results)) all += plot.name + "\n" + plot.json;
  expect_approved("plots.txt", all);
}

TEST(Html, TheHeadlineIsTheVerdictOfTheResult) {
  for (const std::string verdict : {"trustworthy", "off", "cannot tell"}) {
    const Json head = document({named("m", with_verdict(verdict, 0.03))})["verdicts"];
    ASSERT_EQ(head.size(), 1u);
    EXPECT_EQ(head[0]["level"], verdict);
  }
  EXPECT_EQ(document({named("m", sample::labels())})["verdicts"][0]["level"], "none");
}

TEST(Html, AdviceSpellsOptionsAsAsked) {
  const std::vector<NamedResult> results{named("m", sample::labels())};
  const std::string bare = render_document(results, {}),
                    flags = render_document(results, {.spelling = kFlag});
  EXPECT_FALSE(contains(bare, "⟦") || contains(flags, "⟦"));
  EXPECT_TRUE(contains(bare, "Without bootstrap, miscalibration")) << bare;
  EXPECT_TRUE(contains(flags, "Without --bootstrap, miscalibration"));
  EXPECT_TRUE(contains(bare, "use clip to bound them")) << "reasons and notes of the JSON too";
  EXPECT_TRUE(contains(flags, "use --clip to bound them"));
}

TEST(Html, SentencesNameAModelOnlyBesideAnother) {
  const NamedResult one = named("stem", sample::raters()), other = named("other", sample::labels());
  const auto sentences = [](const Json& doc) {
    std::string out;
    for (const Json& section : doc["sections"]) {
      for (const Json& plot : section["plots"]) {
        out += plot["sentence"].get<std::string>() + "\n";
        if (plot.contains("choices"))
          for (const Json& c : plot["choices"]) out += c["sentence"].get<std::string>() + "\n";
      }
      for (const Json& t : section["tables"]) out += t["title"].get<std::string>() + "\n";
    }
    return out;
  };
  const std::string alone = sentences(document({one})), both = sentences(document({one, other}));
  EXPECT_FALSE(contains(alone, "stem")) << alone;
  EXPECT_TRUE(contains(alone, "The class with the largest error is ")) << alone;
  EXPECT_TRUE(contains(both, " of stem ") && contains(both, " (stem): ")) << both;
}

TEST(Html, EveryModelHasItsVerdict) {
  const Json doc =
      document({named("raw", with_verdict("off", 0.135)), named("fixed", with_verdict("trustworthy", 0.01))});
  ASSERT_EQ(doc["verdicts"].size(), 2u);
  EXPECT_EQ(doc["verdicts"][0]["name"], "Off");
  EXPECT_EQ(doc["verdicts"][1]["model"], "fixed");
  EXPECT_TRUE(contains(doc["summary"], "fixed: Trustworthy. ")) << doc["summary"];
}

TEST(Html, ShowsWhatTheResultHolds) {
  const Json doc = document({named("m", sample::raters())});
  EXPECT_EQ(plot_names(doc),
            (std::vector<std::string>{"reliability", "confidence", "class_errors", "slices"}));
  EXPECT_EQ(doc["runs"][0]["argv"], Json::parse(render_json(sample::raters()))["argv"]);
  EXPECT_FALSE(doc["words"].empty());
  EXPECT_FALSE(doc["metrics"]["rows"][0]["line"].get<std::string>().empty());
}

TEST(Html, DecisionsAndTheIsotonicFitAreDrawn) {
  Result r = sample::labels();
  r.tables.emplace_back(
      "decision_curve",
      Table{{"threshold", "net_benefit", "net_benefit_low", "net_benefit_high", "treat_all", "treat_none"},
            {{0.1, 0.2, 0.1, 0.3, 0.15, 0.0}, {0.5, -0.4, -0.5, -0.3, -0.9, 0.0}}});
  r.tables.emplace_back("corp_band", Table{{"p", "estimate", "band_low", "band_high"},
                                           {{0.1, 0.2, 0.0, 0.15}, {0.5, 0.5, 0.4, 0.6}}});
  const Json doc = document({named("m", r)});
  const auto plot = [&](const std::string& name) {
    for (const Json& p : doc["sections"][0]["plots"])
      if (p["name"] == name) return p;
    return Json();
  };
  const Json curve = plot("decision_curve"), corp = plot("corp");
  ASSERT_FALSE(curve.is_null());
  EXPECT_TRUE(contains(curve["sentence"], "at 1 of 2 thresholds, from 0.1 to 0.1")) << curve["sentence"];
  // One point of the model, one of treating all (the others are far below 0), two of treating no one.
  EXPECT_EQ(curve["spec"]["datasets"]["rows"].size(), 4u);
  ASSERT_FALSE(corp.is_null());
  EXPECT_TRUE(contains(corp["sentence"], "outside its band at 1 of 2 forecasts")) << corp["sentence"];
}

TEST(Html, EmptyBinsAreNotDrawn) {
  const Json doc = document({named("m", sample::labels())});
  const Json& rows = doc["sections"][0]["plots"][0]["spec"]["datasets"]["rows"];
  ASSERT_FALSE(rows.empty());
  for (const Json& row : rows) EXPECT_GT(row["share"].get<double>(), 0);
}

TEST(Html, OneNameIsOneModel) {
  const Json doc =
      document({named("m", sample::labels()), named("m", sample::labels()), named("n", sample::labels())});
  EXPECT_EQ(doc["models"].size(), 2u);
  EXPECT_EQ(doc["runs"].size(), 3u);
}

TEST(Html, AModelKeepsItsColour) {
  Result without = sample::labels();
  without.tables.clear();
  const Json doc = document({named("first", without), named("second", sample::labels())});
  const std::string spec = doc["sections"][0]["plots"][0]["spec"].dump();
  EXPECT_TRUE(contains(spec, R"("domain":["second"],"range":["#c2410c"])")) << spec.substr(0, 2000);
}

TEST(Html, ManyClassesAreCutToTheWorst) {
  Result r = sample::labels();
  r.classes = 100;
  r.class_names.clear();
  r.per_class = {{"ece_classwise", {}}};
  for (int k = 0; k < 100; ++k) {
    r.per_class[0].second.push_back(k == 99 ? 0.5 : 0.001 * k);
    r.tables.emplace_back("reliability_class_" + std::to_string(k), sample::reliability(false));
  }
  const Json choices = document({named("m", r)})["sections"][0]["plots"][0]["choices"];
  EXPECT_EQ(choices.size(), 41u) << "the event and forty classes";
  EXPECT_EQ(choices.back()["label"], "class 99");
  EXPECT_EQ(choices[1]["label"], "class 60");
}

TEST(Html, NamesAreNeverMarkup) {
  Result r = sample::raters();
  r.class_names[0] = kBadName;
  r.per_group[0].group = kBadName;
  r.notes = {kBadName};
  EXPECT_EQ(document({named(kBadName, r)})["models"][0]["name"], kBadName) << "the document keeps the name";
  if (!has_page()) GTEST_SKIP() << why_no_page();
  const std::vector<NamedResult> results{named(kBadName, r)};
  const std::string html = render_html(results, {.title = kBadName});
  EXPECT_FALSE(contains(html, "<img src=x")) << "nowhere in the page";
  const auto open = html.find("id=\"plumb-document\">"), begin = html.find('>', open) + 1;
  const std::string island = html.substr(begin, html.find("</script>", begin) - begin);
  EXPECT_EQ(Json::parse(island)["title"], kBadName) << "the whole document stands between the tags";
}

TEST(Html, OneFileThatFetchesNothing) {
  const std::vector<NamedResult> results{named("m", sample::raters())};
  if (!has_page()) {
    EXPECT_THROW((void)render_html(results, {}), InputError);
    return;
  }
  const std::string html = render_html(results, {});
  EXPECT_TRUE(contains(html, "default-src 'none'"));
  EXPECT_FALSE(contains(html, "<script src")) << "scripts are inside";
  EXPECT_FALSE(contains(html, "<link")) << "styles are inside";
  EXPECT_LT(html.size(), 2'000'000u);
}

TEST(Html, WhatIsNoResultIsSaid) {
  const auto complaint = [](const std::string& json) -> std::string {
    const std::vector<NamedResult> results{{"x.json", json}};
    try {
      (void)render_document(results, {});
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_TRUE(contains(complaint("not json"), "x.json: this is not JSON"));
  EXPECT_TRUE(contains(complaint("{\"a\": 1}"), "not a plumb result"));
  EXPECT_TRUE(contains(complaint("[]"), "not a plumb result"));
  EXPECT_THROW((void)render_document({}, {}), InputError);
}

TEST(Html, DamagedResultsAreNoCrash) {
  const std::string head = R"({"plumb": "1", "command": "evaluate", "argv": ["plumb", "evaluate"])";
  for (const char* rest :
       {"}", R"(, "tables": 5})", R"(, "tables": {"reliability": {}}})",
        R"(, "tables": {"reliability": [1, null, "x"]}})", R"(, "metrics": []})",
        R"(, "metrics": {"ece": 3}})", R"(, "per_group": [1, 2]})", R"(, "stability": {"ece": 1}})",
        R"(, "measures": {"u1": {"bins": [0], "deferral": 1}}})", R"(, "per_class": {"ece_classwise": 1}})",
        R"(, "classes": -5, "class_names": 3})", R"(, "suspects": [1]})",
        R"(, "compare": {"models": [1], "metrics": {}}})"}) {
    const std::vector<NamedResult> results{{"x.json", head + rest}};
    try {
      (void)render_document(results, {});
    } catch (const InputError&) {  // reported, not crashed
    }
  }
}

TEST(Html, PicturesOfSuspectsAreRasterImagesInsideThePage) {
  const auto table = [](const std::string& image) {
    const std::string json =
        R"({"plumb": "1", "command": "uncertainty", "suspects": [{"id": "a", "row": 3, "image": ")" + image +
        R"("}, {"id": "b", "row": 4}]})";
    return document({{"m", json}})["sections"][0]["tables"][0];
  };
  const std::string good = "data:image/png;base64,iVBORw0KGgo=";
  EXPECT_EQ(table(good)["picture"], 0);
  EXPECT_EQ(table(good)["rows"][0][0], good);
  EXPECT_EQ(table(good)["rows"][0][1], "a");
  EXPECT_TRUE(table(good)["rows"][1][0].is_null());
  for (const char* bad : {"https://example.org/x.png", "data:image/svg+xml;base64,PHN2Zz4=",
                          "data:image/png;base64,x' onerror='alert(1)", "javascript:alert(1)"})
    EXPECT_FALSE(table(bad).contains("picture")) << bad;
}

Json plot_of(const Json& doc, const std::string& name) {
  for (const Json& section : doc["sections"])
    for (const Json& plot : section["plots"])
      if (plot["name"] == name) return plot;
  ADD_FAILURE() << "there is no plot " << name;
  return {};
}

TEST(Html, LearningCurvesMarkTheEpochThatWasKept) {
  const std::string head = R"({"plumb": "1", "command": "train", "history": [)";
  const auto epoch = [](int i, double validation, bool best) {
    return Json{{"epoch", i},
                {"best", best},
                {"train", {{"nll", 0.7 - 0.1 * i}}},
                {"validation", {{"nll", validation}, {"ece", nullptr}}}}
        .dump();
  };
  const Json doc = document(
      {{"a", head + epoch(1, 0.6, true) + "," + epoch(2, 0.5, true) + "," + epoch(3, 0.8, false) + "]}"}});
  const Json plot = plot_of(doc, "learning");
  const Json rows = plot["spec"]["datasets"]["rows"];
  EXPECT_EQ(rows.size(), 6u) << "what is null is not drawn";
  for (const Json& row : rows) EXPECT_EQ(row["kept"].get<bool>(), row["epoch"] == 2) << row;
  const std::string sentence = plot["sentence"];
  EXPECT_TRUE(contains(
      sentence,
      "The weights of epoch 2 of 3 were kept, with log-loss (nll) 0.5000 on validation data; the last epoch has 0.8000"))
      << sentence;
}

TEST(Html, HistogramsByTrueProbabilityAreShares) {
  Json sample = Json::array();
  for (int i = 0; i < 40; ++i)
    sample.push_back({{"p", i % 4 == 0 ? 1.0 : 0.26}, {"truth", i % 2 ? 0.25 : 0.5}});
  const Json result{{"plumb", "1"}, {"command", "evaluate"}, {"tables", {{"sample", sample}}}};
  const Json plot = plot_of(document({{"m", result.dump()}}), "truth_histograms");
  double sum = 0, last = 0;
  for (const Json& row : plot["spec"]["datasets"]["rows"]) {
    sum += row["share"].get<double>();
    if (row["truth"] == "50%" && row["p"] > 0.95) last = row["share"];
  }
  EXPECT_NEAR(sum, 2, 1e-12) << "one for each of the two true probabilities";
  EXPECT_EQ(last, 0.5) << "a forecast of 1 is in the last bin";
  const std::string sentence = plot["sentence"];
  EXPECT_TRUE(contains(
      sentence, "26.0% where the true probability is 25.0% and 63.0% where the true probability is 50.0%"))
      << sentence;
}

TEST(Html, PairsOfRatersAreASquare) {
  const std::string json =
      R"({"plumb": "1", "command": "evaluate", "tables": {"rater_pairs": [
        {"rater": 0, "other": 1, "items": 10, "agree": 9, "agreement": 0.9},
        {"rater": 0, "other": 2, "items": 8, "agree": 2, "agreement": 0.25},
        {"rater": 1, "other": 2, "items": 0, "agree": 0, "agreement": null}]}})";
  const Json plot = plot_of(document({{"m", json}}), "rater_pairs");
  EXPECT_EQ(plot["spec"]["datasets"]["rows"].size(), 4u);
  const std::string sentence = plot["sentence"];
  EXPECT_TRUE(contains(sentence, "Rater 0 and Rater 2 agree least, on 25.0%")) << sentence;
}

TEST(Html, NamesOfResults) {
  EXPECT_EQ(name_of_result(render_json(sample::labels())), "p");
  EXPECT_EQ(name_of_result(R"({"command": "merge"})"), "merge");
  EXPECT_EQ(name_of_result(R"({"inputs": [{"path": "out/cohort.csv:p"}]})"), "cohort");
}

}  // namespace
}  // namespace plumb
