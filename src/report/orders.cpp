#include "plumb/report/orders.hpp"

#include <fmt/format.h>

#include "report/bounded.hpp"
#include "report/text_table.hpp"

namespace plumb {
namespace {

Table question_table(const ShareTables& t) {
  Table out;
  out.columns = {"low", "high", "items", "weight", "mean_p", "mean_y", "gap"};
  for (int b = 0; b < t.edges.at(0).count(); ++b) {
    const ShareBin bin = share_bin(t, Population::several, 0, b);
    std::vector<Value> row{t.edges[0].low(b), t.edges[0].high(b), static_cast<std::int64_t>(bin.items),
                           bin.w.value()};
    for (const double x :
         {bin.empty() ? 0 : bin.mean_p(), bin.empty() ? 0 : bin.mean_mu(), bin.empty() ? 0 : bin.gap()})
      row.push_back(bin.empty() ? Value{} : Value(x));
    out.rows.push_back(std::move(row));
  }
  return out;
}

}  // namespace

void add_orders(const std::vector<OrderLosses>& orders, Result& result) {
  Tree::Members all;
  int questions = 0;
  for (const OrderLosses& o : orders) {
    Tree::Members one{{"order", Value(std::int64_t{o.order})},
                      {"items", Value(o.items)},
                      {"multisets", Value(o.columns)},
                      {"loss", detail::bounded_tree(o.loss)},
                      {"plugin", detail::bounded_tree(o.plugin)},
                      {"debiased", detail::bounded_tree(o.debiased)}};
    all.emplace_back(o.key, std::move(one));
    if (!o.key.starts_with("order_"))
      result.tables.emplace_back("statistic_" + std::to_string(++questions), question_table(o.tables));
  }
  result.sections.emplace_back("orders", std::move(all));
}

std::string render_orders(const std::vector<OrderLosses>& orders, const TerminalOptions& options) {
  detail::TextTable table(
      {"votes taken together", "items", "calibration loss", "interval", "plug-in", "loss"});
  for (const std::size_t c : {1, 2, 4, 5}) table.right(c);
  const auto four = [](const Bounded& b) { return b.value ? fmt::format("{:.4f}", *b.value) : "-"; };
  for (const OrderLosses& o : orders)
    table.add({detail::printable(o.key, 40), std::to_string(o.items), four(o.debiased),
               o.debiased.low ? fmt::format("[{:.4f}, {:.4f}]", *o.debiased.low, *o.debiased.high) : "",
               four(o.plugin), four(o.loss)});
  return "\n" + table.render(options.colour, options.width);
}

}  // namespace plumb
