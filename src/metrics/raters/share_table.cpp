#include "plumb/metrics/raters/share_table.hpp"

#include <cmath>
#include <stdexcept>

#include "metrics/shared/merge_members.hpp"

namespace plumb {

void ShareCell::merge(const ShareCell& other) {
  using C = ShareCell;
  detail::merge_members(*this, other, &C::items, &C::votes, &C::w, &C::wp, &C::wmu, &C::wsq, &C::wmm, &C::wg,
                        &C::ww, &C::wwmm);
}

double ShareCell::gap() const {
  ExactSum d = wp;
  d.subtract(wmu);
  return d.value() / w.value();
}

std::size_t ShareTables::first(std::size_t column) const {
  std::size_t n = 0;
  for (std::size_t k = 0; k < column; ++k) n += cells[k].count();
  return n;
}

std::size_t ShareTables::size() const { return first(cells.size()); }

void merge(ShareTables& into, const ShareTables& from) {
  if (into.cells != from.cells) throw std::invalid_argument("tables with different bins cannot be merged");
  const auto add = [](std::vector<ShareCell>& a, const std::vector<ShareCell>& b) {
    if (a.empty()) a.resize(b.size());
    for (std::size_t i = 0; i < b.size(); ++i) a[i].merge(b[i]);
  };
  add(into.single, from.single);
  add(into.several, from.several);
  into.left_out += from.left_out;
}

namespace {

ShareCell cell_at(const ShareTables& t, Population who, std::size_t at) {
  ShareCell c;
  if (!t.several.empty()) c = t.several[at];
  if (who == Population::all && !t.single.empty()) c.merge(t.single[at]);
  return c;
}

// Every item stands in every column, so the first tells how many there are.
ShareCell first_column(const ShareTables& t, Population who) {
  ShareCell all;
  if (t.cells.empty()) return all;
  for (int b = 0; b < t.cells[0].count(); ++b) all.merge(cell_at(t, who, b));
  return all;
}

}  // namespace

ShareCell share_cell(const ShareTables& t, Population who, std::size_t column, int b) {
  return cell_at(t, who, t.first(column) + b);
}

std::uint64_t share_items(const ShareTables& t, Population who) { return first_column(t, who).items; }
double share_weight(const ShareTables& t, Population who) { return first_column(t, who).w.value(); }

ShareLosses& ShareLosses::operator+=(const ShareLosses& other) {
  using L = ShareLosses;
  detail::merge_members(*this, other, &L::lsq, &L::cl_plugin, &L::cl, &L::el_plugin, &L::el, &L::il);
  return *this;
}

ShareLosses cell_losses(const ShareCell& cell, double total) {
  ShareLosses l;
  if (cell.empty()) return l;
  const auto mean_of_sum = [total](ExactSum a, const ExactSum& b) {
    a.merge(b);
    return a.value() / total;
  };
  l.lsq = mean_of_sum(cell.wsq, cell.wmu);
  l.el_plugin = mean_of_sum(cell.wsq, cell.wmm);
  l.el = mean_of_sum(cell.wsq, cell.wg);
  ExactSum spread = cell.wmu;
  spread.subtract(cell.wg);
  l.il = spread.value() / total;

  const double w = cell.w.value(), gap = cell.gap();
  l.cl_plugin = w / total * (gap * gap);
  // c^2 -> (W^2 c^2 - sum w^2 mu^2) / (W^2 - sum w^2) lowers the squared gap by (sum w^2 mu^2 - c^2 sum w^2)
  // over the same denominator (w = 1: sigma^2 / (n - 1), eq. 13).
  const double pairs = w * w - cell.ww.value();
  if (cell.items < 2 || !(pairs > 0)) return l;  // a single item gives 0 to cl
  const double c = cell.mean_mu();
  const double bias = (cell.wwmm.value() - c * c * cell.ww.value()) / pairs;
  l.cl = w / total * (gap * gap - bias);
  return l;
}

std::vector<ShareLosses> share_losses(const ShareTables& t, Population who) {
  std::vector<ShareLosses> out(t.cells.size());
  const double total = share_weight(t, who);
  std::size_t at = 0;
  for (std::size_t k = 0; k < out.size(); ++k)
    for (int b = 0; b < t.cells[k].count(); ++b) out[k] += cell_losses(cell_at(t, who, at++), total);
  return out;
}

double signed_root(double x) { return x < 0 ? -std::sqrt(-x) : std::sqrt(x); }

}  // namespace plumb
