#include "plumb/metrics/raters/label_histogram.hpp"

#include "metrics/raters/share_pass.hpp"

namespace plumb {
namespace {

/// Binary blocks hold P(class 1) alone; the histogram has two columns.
std::span<const double> all_columns(const ItemBlock& block) {
  if (!block.binary()) return std::span(block.z.z).first(block.size * block.classes);
  thread_local std::vector<double> both;
  both.resize(2 * block.size);
  for (std::int64_t i = 0; i < block.size; ++i) {
    both[2 * i] = 1 - block.z.z[i];
    both[2 * i + 1] = block.z.z[i];
  }
  return both;
}

struct Keyed {
  const char* key;
  Population who;
  double (*value_of)(const ShareLosses&);
};
constexpr Keyed kKeys[] = {
    {"lsq", Population::all, [](const ShareLosses& l) { return l.lsq; }},
    {"cl_plugin", Population::all, [](const ShareLosses& l) { return l.cl_plugin; }},
    {"cl", Population::all, [](const ShareLosses& l) { return l.cl; }},
    {"ce", Population::all, [](const ShareLosses& l) { return signed_root(l.cl); }},
    {"rl", Population::all, [](const ShareLosses& l) { return l.rl(); }},
    {"el_plugin", Population::several, [](const ShareLosses& l) { return l.el_plugin; }},
    {"el", Population::several, [](const ShareLosses& l) { return l.el; }},
    {"dl_plugin", Population::several, [](const ShareLosses& l) { return l.dl_plugin(); }},
    {"dl", Population::several, [](const ShareLosses& l) { return l.dl(); }},
    {"de", Population::several, [](const ShareLosses& l) { return signed_root(l.dl()); }},
    {"il", Population::several, [](const ShareLosses& l) { return l.il; }},
};

/// Debiasing compares items of one bin.
bool some_bin_has_two(const ShareTables& t) {
  for (int k = 0; k < std::ssize(t.edges); ++k)
    for (int b = 0; b < t.edges[k].count(); ++b)
      if (share_bin(t, Population::all, k, b).items > 1) return true;
  return false;
}

}  // namespace

std::vector<BinEdges> classwise_edges(int classes, const BinEdges& edges) {
  return std::vector<BinEdges>(classes, edges);
}

void histogram_shares(const ItemBlock& block, ShareTerms& out) {
  const VoteBlock& v = block.votes;
  detail::begin_shares(block.size, v.cls.size(), block.weight, out);
  const auto z = [&](std::int64_t i, std::uint32_t k) {
    if (!block.binary()) return block.z.z[i * block.classes + k];
    return k == 1 ? block.z.z[i] : 1 - block.z.z[i];
  };
  std::uint32_t next = 0;
  for (std::int64_t i = 0; i < block.size; ++i) {
    const bool weighs = block.weight.empty() || block.weight[i] > 0;
    const std::uint32_t n = weighs ? v.votes(i) : 0;
    const std::uint32_t first = v.single ? i : v.offset[i];
    out.votes[i] = n;
    if (n > 0 && (v.single || v.count[first] == n)) {  // all votes for one class
      next = detail::write_share(next, 1, n > 1 ? 1 : 0, z(i, v.cls[first]), v.cls[first], out);
    } else if (n > 1) {
      const double votes = n, pairs = votes * (votes - 1);
      for (std::uint32_t e = first; e < v.offset[i + 1]; ++e) {
        const double y = v.count[e];
        next = detail::write_share(next, y / votes, y * (y - 1) / pairs, z(i, v.cls[e]), v.cls[e], out);
      }
    }
    out.offset[i + 1] = next;
  }
}

void histogram_terms(const ItemBlock& block, std::span<const BinEdges> edges, ShareTerms& out) {
  set_forecasts(all_columns(block), edges, out);
  histogram_shares(block, out);
}

void finish_label_histogram(const ShareTables& t, Scores& out) {
  for (const Population who : {Population::all, Population::several}) {
    const std::uint64_t items = share_items(t, who);
    ShareLosses total;
    for (const ShareLosses& l : share_losses(t, who)) total += l;
    for (const Keyed& k : kKeys) {
      if (k.who != who) continue;
      Estimate& e = out[k.key];
      e = items > 0 ? Estimate(k.value_of(total))
                    : Estimate::undefined(who == Population::all ? kNoVotes : kNoPairs);
      if (who == Population::several) e.items = items;
    }
  }
  if (out["cl"] && !some_bin_has_two(t))
    out["cl"] = out["ce"] = Estimate::undefined("no bin holds two items, which debiasing needs");
}

ClassScores label_histogram_classes(const ShareTables& t) {
  ClassScores out;
  const std::vector<ShareLosses> all = share_losses(t, Population::all);
  const std::vector<ShareLosses> several = share_losses(t, Population::several);
  for (const Keyed& k : kKeys) {
    const bool some = share_items(t, k.who) > 0;
    std::vector<std::optional<double>> values;
    for (const ShareLosses& l : k.who == Population::all ? all : several)
      values.push_back(some ? std::optional<double>(k.value_of(l)) : std::nullopt);
    out.emplace_back(k.key, std::move(values));
  }
  return out;
}

std::vector<HistogramRow> label_histogram_rows(const ShareTables& t) {
  std::vector<HistogramRow> out;
  const double all_weight = share_weight(t, Population::all);
  const double several_weight = share_weight(t, Population::several);
  for (int k = 0; k < std::ssize(t.edges); ++k) {
    for (int b = 0; b < t.edges[k].count(); ++b) {
      const ShareBin all = share_bin(t, Population::all, k, b);
      const ShareBin several = share_bin(t, Population::several, k, b);
      HistogramRow& r = out.emplace_back();
      r.cls = k;
      r.low = t.edges[k].low(b);
      r.high = t.edges[k].high(b);
      r.items = all.items;
      r.items_several = several.items;
      r.weight = all.w.value();
      if (all.empty()) continue;
      const ShareLosses l = bin_losses(all, all_weight);
      r.mean_p = all.mean_p();
      r.mean_mu = all.mean_mu();
      r.gap = all.gap();
      r.lsq = l.lsq;
      r.cl_plugin = l.cl_plugin;
      r.cl = l.cl;
      if (several.empty()) continue;
      const ShareLosses s = bin_losses(several, several_weight);
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
