// The CORP reliability diagram: the isotonic fit and the band in which that of a calibrated model lies.
#include <fmt/format.h>

#include "report/plots.hpp"

namespace plumb::detail {

void corp_plots(const Runs& runs, Plots& out) {
  Json points = Json::array();
  std::vector<std::string> words;
  bool drawn_honest = false;
  for (const Run& run : runs) {
    const Json* band = rows(run, "corp_band");
    if (band == nullptr) continue;
    std::size_t outside = 0;
    if (const Json* honest = rows(run, "corp_honest")) {
      std::size_t beyond = 0;
      for (const Json& row : *honest) {
        const auto p = number(row, "p"), low = number(row, "low"), high = number(row, "high");
        if (!p || !low || !high) continue;
        beyond += *p < *low || *p > *high;
        points.push_back({{"model", run.name}, {"p", *p}, {"honest_low", *low}, {"honest_high", *high}});
      }
      drawn_honest = true;
      if (beyond > 0)
        words.push_back(fmt::format(
            "{}he true frequency differs from {} of {} forecasts, whatever the sample size",
            several_models(runs) ? model_prefix(runs, run.name) + "t" : "T", beyond, honest->size()));
    }
    for (const Json& row : *band) {
      const auto p = number(row, "p"), y = number(row, "estimate"), low = number(row, "band_low"),
                 high = number(row, "band_high");
      if (!p || !y || !low || !high) continue;
      outside += *y < *low || *y > *high;
      points.push_back({{"model", run.name}, {"p", *p}, {"estimate", *y}, {"low", *low}, {"high", *high}});
    }
    words.push_back(fmt::format("{}{}he fit is outside its band at {} of {} forecasts",
                                model_prefix(runs, run.name), several_models(runs) ? "t" : "T", outside,
                                band->size()));
  }
  if (points.empty()) return;
  Plot& plot = add_plot(
      out, std::move(points), runs,
      {"corp", "calibration", "Isotonic reliability diagram (CORP)", joined(words),
       "The line is the increasing function of the forecast that fits the outcomes best. The band shows where the line of a calibrated model would be at each forecast by itself."});
  if (drawn_honest)
    plot.how +=
        " The dashed lines enclose the true frequency at all forecasts at once, if it does not fall as the forecast rises.";
}

}  // namespace plumb::detail
