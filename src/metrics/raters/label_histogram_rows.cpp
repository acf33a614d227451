#include "plumb/metrics/raters/label_histogram.hpp"

namespace plumb {

std::vector<HistogramRow> label_histogram_rows(const ShareTables& t) {
  std::vector<HistogramRow> out;
  const double all_weight = share_weight(t, Population::all);
  const double several_weight = share_weight(t, Population::several);
  for (int k = 0; k < std::ssize(t.cells); ++k) {
    for (int b = 0; b < t.cells[k].count(); ++b) {
      const ShareCell all = share_cell(t, Population::all, k, b);
      const ShareCell several = share_cell(t, Population::several, k, b);
      HistogramRow& r = out.emplace_back();
      r.cls = k;
      r.low = t.cells[k].low(b);
      r.high = t.cells[k].high(b);
      r.items = all.items;
      r.items_several = several.items;
      r.weight = all.w.value();
      if (all.empty()) continue;
      const ShareLosses l = cell_losses(all, all_weight);
      r.mean_p = all.mean_p();
      r.mean_mu = all.mean_mu();
      r.gap = all.gap();
      r.lsq = l.lsq;
      r.cl_plugin = l.cl_plugin;
      r.cl = l.cl;
      if (several.empty()) continue;
      const ShareLosses s = cell_losses(several, several_weight);
      r.el_plugin = s.el_plugin;
      r.el = s.el;
      r.dl_plugin = s.dl_plugin();
      r.dl = s.dl();
      r.il = s.il;
    }
  }
  return out;
}

}  // namespace plumb
