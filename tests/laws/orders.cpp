// Losses of order k: unbiased for votes that follow the forecast, and covered by their intervals otherwise.
#include "plumb/raters/orders.hpp"

#include "laws/laws.hpp"
#include "laws/simulated.hpp"

namespace plumb::laws {
namespace {

/// Votes of an item share a draw of concentration 4 around the forecast.
Items order_items(const Setting& s, std::uint64_t seed, bool concentrated) {
  Drawn d = draw(s, seed);
  if (concentrated) d.votes.concentration.assign(d.votes.size(), 4.0);
  return items_of(d);
}

void orders(Book& book) {
  const Setting s{.name = "N = 400, K = 3, 5 votes", .n = 400, .classes = 3, .votes = 5};
  for (const int k : {2, 3}) {
    OrdersOptions o;
    o.orders = {k};
    o.threads = 1;
    const auto values = simulate_sets(book.sets(300, 30), book.seed() + 51, [&](std::uint64_t seed) {
      return *evaluate_orders(order_items(s, seed, true), o).front().debiased.value;
    });
    book.mean("order_" + std::to_string(k) + " of votes that follow the forecast", s.name, {-0.0005, 0.0005},
              values);
    Setting many = s;
    many.n = 40000;
    const double truth = *evaluate_orders(order_items(many, 3, false), o).front().debiased.value;
    o.bootstrap = 100;
    const auto covers = simulate_sets(book.sets(200, 20), book.seed() + 52, [&](std::uint64_t seed) {
      const Bounded b = evaluate_orders(order_items(s, seed, false), o).front().debiased;
      return *b.low <= truth && truth <= *b.high;
    });
    book.rate("the interval of `order_" + std::to_string(k) + "` covers",
              s.name + ", forecast as if votes were independent", {0.92, 0.98}, covers);
  }
}
const Topic kOrders{"orders", orders};

}  // namespace
}  // namespace plumb::laws
