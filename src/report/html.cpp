// The document that the page shows, and the page around it.
#include "plumb/report/html.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "plumb/data/check.hpp"
#include "plumb/data/option_name.hpp"
#include "plumb/registry.hpp"
#include "plumb/report/regression.hpp"
#include "plumb/report/terminal.hpp"
#include "report/json_text.hpp"
#include "report/next_step.hpp"
#include "report/page_text.hpp"
#include "report/plots.hpp"
#include "report/verdict.hpp"

namespace plumb {
namespace {

using detail::Json;
using detail::look;
using detail::Run;
using detail::Runs;

struct Section {
  const char *id, *title, *intro;
};
constexpr Section kSections[] = {
    {"calibration", "Calibration", "Whether events happen as often as forecast."},
    {"regression", "Predicted uncertainty", "Whether the errors are as large as predicted."},
    {"calibrators", "Calibrators", "How the calibrator changes the probabilities, and what it gains."},
    {"classes", "Classes", "Which classes are confused with each other."},
    {"slices", "Slices", "Whether the result holds in every slice."},
    {"cases", "Cases", "Whether the result holds in every image."},
    {"raters", "Raters", "What the votes of several raters show that one label hides."},
    {"uncertainty", "Uncertainty measures",
     "Whether an uncertainty measure separates right answers from wrong ones."},
    {"items", "Items", "Single items, from a random sample."},
    {"training", "Training", "The course of training, epoch by epoch."},
    {"stability", "Stability", "How precise estimates from a test set of this size are."},
    {"compare", "Comparison", "Whether two models differ by more than chance."},
};

constexpr std::array kBetter{"lower", "higher", "zero", "one", "neither"};  // in the order of the enumeration

std::vector<std::string> names_of(const Runs& runs) {
  std::vector<std::string> out;
  for (const Run& run : runs)
    if (std::find(out.begin(), out.end(), run.name) == out.end()) out.push_back(run.name);
  return out;
}

/// Values of one metric are ranked only over the same items and outcomes. Files are compared where their
/// checksums are known.
bool same_data(const Runs& runs) {
  const auto outcomes = [](const Run& run) {
    std::string out;
    if (const Json* inputs = look(run.json, {"inputs"}); inputs != nullptr && inputs->is_array())
      for (const Json& input : *inputs)
        for (const char* name : {"labels", "counts", "ratings", "targets"})
          if (detail::text(input, "flag") == spell(opt(name), kFlag)) out += detail::text(input, "sha256");
    return out;
  };
  const Run* first = nullptr;
  for (const Run& run : runs) {
    if (look(run.json, {"metrics"}) == nullptr) continue;
    if (first == nullptr) first = &run;
    for (const char* key : {"task", "items", "votes", "classes"})
      if (detail::member(run.json, key) != detail::member(first->json, key)) return false;
    const std::string a = outcomes(*first), b = outcomes(run);
    if (!a.empty() && !b.empty() && a != b) return false;
  }
  return true;
}

Json models(const Runs& runs) {
  Json out = Json::array();
  for (const std::string& name : names_of(runs)) {
    const auto run = std::find_if(runs.begin(), runs.end(), [&](const Run& r) { return r.name == name; });
    Json m{{"name", name}};
    for (const char* key : {"task", "items", "votes", "classes"})
      if (const Json* x = look(run->json, {key})) m[key] = *x;
    if (look(run->json, {"per_case"}) != nullptr) m["noun"] = "voxels";
    out.push_back(std::move(m));
  }
  return out;
}

Json words(const Runs& runs, const Spelling& spelling) {
  Json out = Json::array();
  std::set<std::string> seen;
  for (const Run& run : runs) {
    const Result r = detail::to_result(run);
    const auto sentences = r.task == "regression" ? regression_words(r) : plain_words(r, spelling);
    if (!sentences.empty() && seen.insert(run.name).second)
      out.push_back({{"model", run.name}, {"sentences", sentences}});
  }
  return out;
}

Json metric_row(const std::string& key, bool regression, const Spelling& spelling) {
  const MetricRow* m = regression ? find_regression_metric(key) : find_metric(key);
  if (m == nullptr) return {{"key", key}, {"line", ""}, {"better", ""}, {"headline", false}};
  return {{"key", key},
          {"line", spell(m->line, spelling)},
          {"better", kBetter.at(static_cast<std::size_t>(m->better))},
          {"headline", m->headline.has(Place::page)}};
}

Json metrics(const Runs& runs, const Spelling& spelling) {
  std::vector<const Run*> with;
  std::vector<std::string> keys;
  for (const Run& run : runs) {
    const Json* m = look(run.json, {"metrics"});
    if (m == nullptr || !m->is_object() || m->empty()) continue;
    with.push_back(&run);
    for (const auto& [key, x] : m->items())
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  }
  Json out{{"models", Json::array()}, {"rows", Json::array()}};
  for (const Run* run : with) out["models"].push_back(run->name);
  const bool ranked = same_data(runs);
  for (const std::string& key : keys) {
    Json row = metric_row(key, detail::text(with.front()->json, "task") == "regression", spelling);
    if (!ranked) row["better"] = "";  // no value is the best over other data
    row["cells"] = Json::array();
    for (const Run* run : with) {
      const Json* m = look(run->json, {"metrics", key});
      row["cells"].push_back(m != nullptr ? *m : Json(nullptr));
    }
    out["rows"].push_back(std::move(row));
  }
  return out;
}

Json plot_json(const detail::Plot& p) {
  Json out{{"name", p.name}, {"title", p.title}, {"sentence", p.sentence}, {"how", p.how}, {"spec", p.spec}};
  if (p.choices.size() > 1) {
    out["picker"] = p.picker;
    out["choices"] = Json::array();
    for (const detail::Choice& c : p.choices)
      out["choices"].push_back({{"value", c.value}, {"label", c.label}, {"sentence", c.sentence}});
  }
  return out;
}

Json sections(const Runs& runs) {
  const detail::Plots plots = detail::make_plots(runs);
  const std::vector<detail::ReaderTable> tables = detail::make_tables(runs);
  Json out = Json::array();
  for (const Section& s : kSections) {
    Json section{{"id", s.id},
                 {"title", s.title},
                 {"intro", s.intro},
                 {"plots", Json::array()},
                 {"tables", Json::array()}};
    for (const detail::Plot& p : plots)
      if (p.section == s.id) section["plots"].push_back(plot_json(p));
    for (const detail::ReaderTable& t : tables)
      if (t.section == s.id) {
        section["tables"].push_back(
            {{"title", t.title}, {"sentence", t.sentence}, {"columns", t.columns}, {"rows", t.rows}});
        if (t.picture >= 0) section["tables"].back()["picture"] = t.picture;
        if (t.wide) section["tables"].back()["wide"] = true;
      }
    if (!section["plots"].empty() || !section["tables"].empty()) out.push_back(std::move(section));
  }
  return out;
}

/// A page of a fit shows the data of the fit.
std::string caution(const Runs& runs) {
  for (const Run& run : runs)
    if (detail::text(run.json, "command") == "calibrate")
      return "These are the data that the calibrator was fitted on, so the results are optimistic: evaluate it on other data.";
  return "";
}

Json next_steps(const Runs& runs, const Spelling& spelling) {
  Json out = Json::array();
  for (const Run& run : runs) {
    const detail::NextStep next = detail::next_step(detail::to_result(run));
    if (!next.parts.empty())
      out.push_back({{"model", run.name}, {"why", spell(next.why, spelling)}, {"command", next.command()}});
  }
  return out;
}

Json provenance(const Runs& runs) {
  Json out = Json::array();
  for (const Run& run : runs) {
    Json r{{"name", run.name}};
    for (const char* key : {"plumb", "command", "argv", "inputs", "settings", "notes"})
      if (const Json* x = look(run.json, {key})) r[key] = *x;
    out.push_back(std::move(r));
  }
  return out;
}

Json document(Runs runs, const HtmlOptions& options) {
  for (Run& run : runs) detail::spell_options(run.json, options.spelling);

  const std::vector<detail::Headline> heads = detail::headlines(runs);
  Json verdicts = Json::array();
  std::string summary;
  for (const detail::Headline& v : heads) {
    const std::string text = spell(v.text, options.spelling);
    verdicts.push_back({{"model", v.model}, {"level", v.level}, {"name", v.name}, {"text", text}});
    summary += (summary.empty() ? "" : " ") + (heads.size() > 1 ? v.model + ": " : "") + v.name + ". " + text;
  }
  std::string title = options.title;
  if (title.empty()) title = detail::listed(names_of(runs));
  return {{"title", title},
          {"plumb", detail::text(runs.front().json, "plumb")},
          {"date", options.date},
          {"models", models(runs)},
          {"verdicts", std::move(verdicts)},
          {"summary", summary},
          {"caution", caution(runs)},
          {"next", next_steps(runs, options.spelling)},
          {"words", words(runs, options.spelling)},
          {"metrics", metrics(runs, options.spelling)},
          {"sections", sections(runs)},
          {"runs", provenance(runs)}};
}

// A field of an unexpected type somewhere inside a result: hand-made or damaged.
template <class Make>
auto guarded(Make make) {
  try {
    return make();
  } catch (const Json::exception& e) {
    throw InputError(std::string("a result is not in the form that plumb writes (") + e.what() +
                     "); write it again with ⟦json⟧");
  }
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// JSON inside a script element: neither "</script>" nor "<!--" may occur. "<" stands only in strings, where
// \u003c is the same letter.
std::string in_script(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      out += "\\u003c";
    else if (c == '>')
      out += "\\u003e";
    else
      out += c;
  }
  return out;
}

std::string dump(const Json& j) { return j.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

bool has_page() { return !detail::page_script().empty(); }

std::string why_no_page() {
  return "this build has no report page, because node and npm were missing when it was built; install them (Debian: nodejs, npm), run \"npm ci\" in web/ and build again, or use ⟦json⟧ and another machine's \"plumb report\"";
}

std::string render_document(std::span<const NamedResult> results, const HtmlOptions& options) {
  const Runs runs = detail::read_runs(results);
  return guarded([&] { return dump(document(runs, options)); });
}

std::string render_html(std::span<const NamedResult> results, const HtmlOptions& options) {
  if (!has_page()) throw InputError(why_no_page());
  const Runs runs = detail::read_runs(results);
  const Json doc = guarded([&] { return document(runs, options); });
  std::string out =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      // Nothing may be fetched, and no script runs but the page's own.
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-";
  out += detail::page_script_hash();
  out += "'\">\n<meta name=\"generator\" content=\"plumb " + escaped(doc["plumb"].get<std::string>()) +
         "\">\n<title>" + escaped(doc["title"].get<std::string>() + ": can it be trusted?") +
         "</title>\n<style>";
  out += detail::page_style();
  out +=
      "</style>\n</head>\n<body>\n<noscript><p>" + escaped(doc["summary"].get<std::string>()) +
      "</p><p>The plots need JavaScript, which is switched off here.</p></noscript>\n<div id=\"plumb-page\"></div>\n"
      "<script type=\"application/json\" id=\"plumb-document\">" +
      in_script(dump(doc)) + "</script>\n<script>";
  out += detail::page_script();
  out += "</script>\n</body>\n</html>\n";
  return out;
}

}  // namespace plumb
