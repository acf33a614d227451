#include "plumb/metrics/raters/disagreement.hpp"

#include "metrics/raters/share_pass.hpp"

namespace plumb {

std::vector<BinEdges> disagreement_edges(int classes, const BinEdges& edges) {
  return std::vector<BinEdges>(classes == 2 ? 1 : classes + 1, edges);
}

void disagreement_terms(const ItemBlock& block, const DisagreementForecast& forecast,
                        std::span<const BinEdges> edges, ShareTerms& out) {
  set_forecasts(forecast.p, edges, out);
  disagreement_shares(block, forecast, out);
}

void disagreement_shares(const ItemBlock& block, const DisagreementForecast& forecast, ShareTerms& out) {
  const VoteBlock& v = block.votes;
  const bool by_class = forecast.columns > 1;
  detail::begin_shares(block.size, block.size + v.cls.size(), block.weight, out);
  std::uint32_t next = 0;
  for (std::int64_t i = 0; i < block.size; ++i) {
    const bool weighs = block.weight.empty() || block.weight[i] > 0;
    const std::uint32_t votes = v.votes(i);
    out.votes[i] = weighs && votes > 1 ? votes : 0;
    if (out.votes[i] > 0 && v.count[v.offset[i]] < votes) {  // unanimous items have no share above 0
      const double* const p = forecast.p.data() + i * forecast.columns;
      const std::uint64_t n = votes;
      const double pairs = 1.0 * n * (n - 1);
      std::uint64_t differ = 0;
      for (std::uint32_t e = v.offset[i]; e < v.offset[i + 1]; ++e) {
        const std::uint64_t about = v.count[e] * (n - v.count[e]);
        const std::uint32_t column = v.cls[e] + 1;
        differ += about;
        if (by_class) next = detail::write_share(next, 2 * about / pairs, 0, p[column], column, out);
      }
      next = detail::write_share(next, differ / pairs, 0, p[0], 0, out);
    }
    out.offset[i + 1] = next;
  }
}

void finish_disagreement(const ShareTables& t, Scores& out) {
  const std::vector<ShareLosses> columns = share_losses(t, Population::several);
  const std::uint64_t items = share_items(t, Population::several);
  const auto store = [&](const char* key, double value) {
    Estimate& e = out[key];
    e = items > 0 ? Estimate(value) : Estimate::undefined(kNoPairs);
    e.items = items;
  };
  const ShareLosses& all = columns.at(0);
  store("disagreement_loss", all.lsq);
  store("disagreement_cl_plugin", all.cl_plugin);
  store("disagreement_cl", all.cl);
  store("disagreement_ce", signed_root(all.cl));
  // Mimori's table 2: the class-wise column is the mean over classes of L and of CE. Binary:
  // both classes are column 0.
  const std::size_t first = columns.size() > 1 ? 1 : 0;
  const double classes = columns.size() - first;
  double loss = 0, cl = 0, ce = 0;
  for (std::size_t k = first; k < columns.size(); ++k) {
    loss += columns[k].lsq;
    cl += columns[k].cl;
    ce += signed_root(columns[k].cl);
  }
  store("disagreement_classwise_loss", loss / classes);
  store("disagreement_classwise_cl", cl / classes);
  store("disagreement_classwise_ce", ce / classes);
}

ClassScores disagreement_classes(const ShareTables& t, int classes) {
  const std::vector<ShareLosses> columns = share_losses(t, Population::several);
  const bool some = share_items(t, Population::several) > 0;
  ClassScores out{{"disagreement_classwise_loss", {}},
                  {"disagreement_classwise_cl", {}},
                  {"disagreement_classwise_ce", {}}};
  for (int k = 0; k < classes; ++k) {
    const ShareLosses& l = columns[columns.size() > 1 ? k + 1 : 0];
    const double values[] = {l.lsq, l.cl, signed_root(l.cl)};
    for (std::size_t j = 0; j < out.size(); ++j)
      out[j].second.push_back(some ? std::optional<double>(values[j]) : std::nullopt);
  }
  return out;
}

std::vector<DisagreementRow> disagreement_rows(const ShareTables& t) {
  std::vector<DisagreementRow> out;
  for (int b = 0; b < t.edges.at(0).count(); ++b) {
    const ShareBin c = share_bin(t, Population::several, 0, b);
    DisagreementRow& r = out.emplace_back();
    r.low = t.edges[0].low(b);
    r.high = t.edges[0].high(b);
    r.items = c.items;
    r.votes = c.votes;
    r.weight = c.w.value();
    if (c.empty()) continue;
    r.mean_p = c.mean_p();
    r.mean_y = c.mean_mu();
    r.gap = c.gap();
  }
  return out;
}

}  // namespace plumb
