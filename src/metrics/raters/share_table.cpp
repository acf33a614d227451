#include "plumb/metrics/raters/share_table.hpp"

#include <cmath>
#include <stdexcept>

#include "metrics/shared/merge_members.hpp"

namespace plumb {

void ShareBin::merge(const ShareBin& other) {
  using C = ShareBin;
  detail::merge_members(*this, other, &C::items, &C::votes, &C::w, &C::wp, &C::wmu, &C::wsq, &C::wmm, &C::wg,
                        &C::ww, &C::wwmm);
}

double ShareBin::gap() const {
  ExactSum d = wp;
  d.subtract(wmu);
  return d.value() / w.value();
}

std::size_t ShareTables::first(std::size_t column) const {
  std::size_t n = 0;
  for (std::size_t k = 0; k < column; ++k) n += edges[k].count();
  return n;
}

std::size_t ShareTables::size() const { return first(edges.size()); }

void merge(ShareTables& into, const ShareTables& from) {
  if (into.edges != from.edges) throw std::invalid_argument("tables with different bins cannot be merged");
  const auto add = [](std::vector<ShareBin>& a, const std::vector<ShareBin>& b) {
    if (a.empty()) a.resize(b.size());
    for (std::size_t i = 0; i < b.size(); ++i) a[i].merge(b[i]);
  };
  add(into.single, from.single);
  add(into.several, from.several);
  into.left_out += from.left_out;
}

namespace {

ShareBin bin_at(const ShareTables& t, Population who, std::size_t at) {
  ShareBin c;
  if (!t.several.empty()) c = t.several[at];
  if (who == Population::all && !t.single.empty()) c.merge(t.single[at]);
  return c;
}

// Every item stands in every column, so the first tells how many there are.
ShareBin first_column(const ShareTables& t, Population who) {
  ShareBin all;
  if (t.edges.empty()) return all;
  for (int b = 0; b < t.edges[0].count(); ++b) all.merge(bin_at(t, who, b));
  return all;
}

}  // namespace

ShareBin share_bin(const ShareTables& t, Population who, std::size_t column, int b) {
  return bin_at(t, who, t.first(column) + b);
}

std::uint64_t share_items(const ShareTables& t, Population who) { return first_column(t, who).items; }
double share_weight(const ShareTables& t, Population who) { return first_column(t, who).w.value(); }

ShareLosses& ShareLosses::operator+=(const ShareLosses& other) {
  using L = ShareLosses;
  detail::merge_members(*this, other, &L::lsq, &L::cl_plugin, &L::cl, &L::el_plugin, &L::el, &L::il);
  return *this;
}

ShareLosses bin_losses(const ShareBin& bin, double total) {
  ShareLosses l;
  if (bin.empty()) return l;
  const auto mean_of_sum = [total](ExactSum a, const ExactSum& b) {
    a.merge(b);
    return a.value() / total;
  };
  l.lsq = mean_of_sum(bin.wsq, bin.wmu);
  l.el_plugin = mean_of_sum(bin.wsq, bin.wmm);
  l.el = mean_of_sum(bin.wsq, bin.wg);
  ExactSum spread = bin.wmu;
  spread.subtract(bin.wg);
  l.il = spread.value() / total;

  const double w = bin.w.value(), gap = bin.gap();
  l.cl_plugin = w / total * (gap * gap);
  // c^2 -> (W^2 c^2 - sum w^2 mu^2) / (W^2 - sum w^2) lowers the squared gap by (sum w^2 mu^2 - c^2 sum w^2)
  // over the same denominator (w = 1: sigma^2 / (n - 1), eq. 13).
  const double pairs = w * w - bin.ww.value();
  if (bin.items < 2 || !(pairs > 0)) return l;  // a single item gives 0 to cl
  const double c = bin.mean_mu();
  const double bias = (bin.wwmm.value() - c * c * bin.ww.value()) / pairs;
  l.cl = w / total * (gap * gap - bias);
  return l;
}

std::vector<ShareLosses> share_losses(const ShareTables& t, Population who) {
  std::vector<ShareLosses> out(t.edges.size());
  const double total = share_weight(t, who);
  std::size_t at = 0;
  for (std::size_t k = 0; k < out.size(); ++k)
    for (int b = 0; b < t.edges[k].count(); ++b) out[k] += bin_losses(bin_at(t, who, at++), total);
  return out;
}

double signed_root(double x) { return x < 0 ? -std::sqrt(-x) : std::sqrt(x); }

}  // namespace plumb
