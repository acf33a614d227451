// The error that remains when the least certain items are set aside (Laves 2021, section 4.2).
#include "plumb/regression/ordered.hpp"
#include "regression/cumulative.hpp"

namespace plumb {

std::vector<RejectionRow> rejection(const OrderedRegression& c, int rows) {
  const ItemWeights weights{c.weight, {}};
  const double total = detail::total_weight(c.item, weights);
  if (!(total > 0)) return {};
  std::vector<RejectionRow> ascending;  // thresholds from small to large
  detail::Cumulative kept(weights.all_one());
  ExactSum err2;
  std::int64_t items = 0;
  int step = 1;
  for (std::size_t begin = 0; begin < c.item.size();) {
    std::size_t end = begin;
    for (; end < c.item.size() && c.item_variance[end] == c.item_variance[begin]; ++end) {
      const double w = weights.weight_of(c.item[end]);
      if (w == 0) continue;
      kept.add(w);
      err2.add(c.item_err2[end] * w);
      ++items;
    }
    const double share = kept.value() / total;
    if (share >= 1.0 * step / rows) {
      ascending.push_back({c.item_variance[begin], 1.0 - share, items, err2.value() / kept.value(), true});
      while (step <= rows && share >= 1.0 * step / rows) ++step;
      if (step > rows) break;
    }
    begin = end;
  }
  std::vector<RejectionRow> out(ascending.rbegin(), ascending.rend());
  for (std::size_t i = 1; i < out.size(); ++i) out[i].falls = out[i].mse <= out[i - 1].mse;
  return out;
}

}  // namespace plumb
