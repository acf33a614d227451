// What several raters add: the parts of the loss, the calibration-dispersion map, forecast disagreement, the
// raters themselves.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "report/plots.hpp"

namespace plumb::detail {
namespace {

constexpr const char* kRatersSection = "raters";

// A difference that is only rounding reads as 0, not as -2.96e-16.
std::string loss_text(double x) { return four_digit_number(std::abs(x) < 1e-12 ? 0 : x); }

// lsq = cl + dl + il (Mimori 2021, eq. 8, 14): removable by recalibration, by a better model,
// and irreducible.
void loss_parts(const Runs& runs, Plots& out) {
  struct Part {
    const char *key, *label;
  };
  constexpr Part kParts[] = {{"cl", "recalibration could remove it"},
                             {"dl", "a better model could remove it"},
                             {"il", "the raters' own disagreement"}};
  Json data = Json::array();
  std::vector<std::string> parts;
  for (const Run& run : runs) {
    const auto cl = metric(run, "cl"), dl = metric(run, "dl"), il = metric(run, "il");
    if (!cl || !dl || !il) continue;
    int order = 0;
    for (const Part& p : kParts)
      data.push_back(
          {{"model", run.name}, {"part", p.label}, {"order", order++}, {"loss", *metric(run, p.key)}});
    parts.push_back(fmt::format(
        "{} has a squared loss of {}: {} from miscalibration, {} from separating items too little, and {} from the raters' disagreement",
        model_name(runs, run.name, true), loss_text(*cl + *dl + *il), loss_text(*cl), loss_text(*dl),
        loss_text(*il)));
  }
  if (parts.empty()) return;
  add_plot(
      out, std::move(data), {},
      {"loss_parts", kRatersSection, "Parts of the squared loss", joined(parts),
       "The squared distance between forecasts and the raters' votes has three parts: calibration loss, which a map of the probabilities can remove; dispersion loss, which needs a better model; and the raters' disagreement, which no model can remove."});
}

// Mimori 2021, Fig. 2a; the dashed lines join equal epistemic loss, cl + dl.
void calibration_dispersion(const Runs& runs, Plots& out) {
  Json data = Json::array();
  double reach = 0;
  std::vector<std::pair<double, std::string>> by_sum;
  for (const Run& run : runs) {
    const auto cl = metric(run, "cl"), dl = metric(run, "dl");
    if (!cl || !dl) continue;
    Json row{{"model", run.name}, {"cl", *cl}, {"dl", *dl}, {"el", *cl + *dl}};
    for (const char* key : {"cl", "dl"})  // without replicates the bars have no length
      for (const char* end : {"low", "high"}) {
        const Json m = member(run.json["metrics"], key);
        row[fmt::format("{}_{}", key, end)] = number(m, end).value_or(*metric(run, key));
      }
    data.push_back(std::move(row));
    reach = std::max({reach, *cl, *dl});
    by_sum.emplace_back(*cl + *dl, run.name);
  }
  if (data.size() < 2) return;
  std::sort(by_sum.begin(), by_sum.end());
  Plot& plot = add_plot(
      out, std::move(data), runs,
      {"calibration_dispersion", kRatersSection, "Calibration-dispersion map",
       fmt::format(
           "{} is closest to the votes of a large crowd of raters (epistemic loss {}), {} is farthest ({}).",
           by_sum.front().second, four_digit_number(by_sum.front().first), by_sum.back().second,
           four_digit_number(by_sum.back().first)),
       "Horizontal: loss that recalibration can remove. Vertical: loss that it cannot. A calibrator moves a model to the left; a better model moves down. Dashed lines join equal sums."});
  Json lines = Json::array();
  for (int i = 1; i <= 8; ++i) {
    const double el = 0.25 * i * reach;
    lines.push_back({{"el", el}, {"x", std::max(0.0, el - 1.1 * reach)}, {"y", std::min(el, 1.1 * reach)}});
    lines.push_back({{"el", el}, {"x", std::min(el, 1.1 * reach)}, {"y", std::max(0.0, el - 1.1 * reach)}});
  }
  plot.spec["datasets"]["lines"] = std::move(lines);
}

// Mimori 2021, Fig. 2b.
void disagreement(const Runs& runs, Plots& out) {
  Json data = Json::array();
  std::vector<std::string> parts;
  for (const Run& run : runs) {
    const Json* bins = rows(run, "disagreement_reliability");
    if (bins == nullptr) continue;
    const double weight = total_weight(*bins);
    double p = 0, y = 0;
    for (const Json& row : *bins) {
      const double w = number(row, "weight").value_or(0);
      if (!(w > 0)) continue;
      p += w * number(row, "mean_p").value_or(0) / weight;
      y += w * number(row, "mean_y").value_or(0) / weight;
      data.push_back({{"model", run.name},
                      {"mean_p", member(row, "mean_p")},
                      {"mean_y", member(row, "mean_y")},
                      {"items", member(row, "items")},
                      {"share", w / weight}});
    }
    parts.push_back(fmt::format("{} expects {} of pairs of raters to disagree, and {} do",
                                model_name(runs, run.name, true), percent(p), percent(y)));
  }
  if (parts.empty() || data.empty()) return;
  add_plot(
      out, std::move(data), runs,
      {"disagreement", kRatersSection, "Forecast and observed disagreement of raters", joined(parts),
       "Horizontal: the probability that two raters disagree, as implied by the forecasts. Vertical: how often they did. Above the diagonal raters disagree more often than the model implies."});
}

std::string rater_name(const Json& row, const char* key) {
  const Json* who = look(row, {key});
  // Without a header raters have numbers alone.
  return who == nullptr ? "" : who->is_string() ? who->get<std::string>() : "Rater " + who->dump();
}

/// Each column has its own level: raters are told apart by their distance from its mean.
void add_differences(Json& data) {
  std::map<std::string, std::pair<double, int>> columns;
  for (const Json& row : data) {
    auto& [sum, count] = columns[text(row, "with")];
    sum += number(row, "agreement").value_or(0);
    ++count;
  }
  for (Json& row : data) {
    const auto& [sum, count] = columns[text(row, "with")];
    row["difference"] = number(row, "agreement").value_or(0) - sum / count;
  }
}

void rater_table(const Runs& runs, Plots& out) {
  for (const Run& run : runs) {
    const Json* table = rows(run, "raters");
    if (table == nullptr) continue;
    Json data = Json::array();
    double least = 2;
    std::string odd;
    for (const Json& row : *table) {
      const std::string name = rater_name(row, "rater");
      for (const auto& [key, label] : {std::pair{"agree_others", "other raters"},
                                       {"agree_majority", "the majority"},
                                       {"agree_model", "the model"}})
        if (const auto x = number(row, key))
          data.push_back(
              {{"rater", name}, {"with", label}, {"agreement", *x}, {"items", member(row, "items")}});
      if (const auto x = number(row, "agree_others"); x && *x < least) {
        least = *x;
        odd = name;
      }
    }
    if (data.empty()) continue;
    add_differences(data);
    add_plot(
        out, std::move(data), {},
        {"raters", kRatersSection, "Agreement of each rater",
         odd.empty()
             ? ""
             : fmt::format("{} agrees least with the others: in {} of shared votes.", odd, percent(least)),
         "Each row is a rater: the share of their votes that agree with other raters, with the majority and with the model. A pale row is a rater who disagrees with the rest."});
    return;  // the raters are the same for every model
  }
}

// How often each pair of raters agree; both halves of the square, so that a row is a rater.
void rater_pairs(const Runs& runs, Plots& out) {
  for (const Run& run : runs) {
    const Json* table = rows(run, "rater_pairs");
    if (table == nullptr) continue;
    Json data = Json::array();
    const Json *least = nullptr, *most = nullptr;
    double low = 2, high = -1;
    std::vector<std::string> order;
    for (const Json& row : *table) {
      const auto share = number(row, "agreement");
      if (!share) continue;
      for (const bool swapped : {false, true})
        data.push_back({{"rater", rater_name(row, swapped ? "other" : "rater")},
                        {"other", rater_name(row, swapped ? "rater" : "other")},
                        {"agreement", *share},
                        {"items", member(row, "items")}});
      for (const char* key : {"rater", "other"})
        if (std::find(order.begin(), order.end(), rater_name(row, key)) == order.end())
          order.push_back(rater_name(row, key));
      if (*share < low) low = *share, least = &row;
      if (*share > high) high = *share, most = &row;
    }
    if (order.size() < 3) continue;  // two raters are one number
    Plot& plot = add_plot(
        out, std::move(data), {},
        {"rater_pairs", kRatersSection, "Agreement of pairs of raters",
         fmt::format("{} and {} agree least, on {} of the items that both rated; {} and {} most, on {}.",
                     rater_name(*least, "rater"), rater_name(*least, "other"), percent(low),
                     rater_name(*most, "rater"), rater_name(*most, "other"), percent(high)),
         "Each square is the share of agreement on the items that both raters rated. A pale row and column is a rater who disagrees with the rest; dark blocks are raters who agree with each other."});
    for (const char* axis : {"x", "y"}) plot.spec["encoding"][axis]["sort"] = order;
    return;  // the raters are the same for every model
  }
}

}  // namespace

void rater_plots(const Runs& runs, Plots& out) {
  loss_parts(runs, out);
  calibration_dispersion(runs, out);
  disagreement(runs, out);
  rater_table(runs, out);
  rater_pairs(runs, out);
}

}  // namespace plumb::detail
