// The CORP reliability diagram: the isotonic fit and the band in which that of a calibrated model lies.
#include <fmt/format.h>

#include "report/plots.hpp"

namespace plumb::detail {

void corp_plots(const Runs& runs, Plots& out) {
  Json points = Json::array();
  std::vector<std::string> words;
  for (const Run& run : runs) {
    const Json* band = rows(run, "corp_band");
    if (band == nullptr) continue;
    std::size_t outside = 0;
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
  add_plot(
      out, std::move(points), runs,
      {"corp", "calibration", "Isotonic reliability diagram (CORP)", joined(words),
       "The line is the increasing function of the forecast that fits the outcomes best. The band shows where the line of a calibrated model would be at each forecast by itself."});
}

}  // namespace plumb::detail
