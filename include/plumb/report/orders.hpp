// Losses of votes taken k at a time, for JSON and for the terminal.
#pragma once

#include <string>
#include <vector>

#include "plumb/raters/orders.hpp"
#include "plumb/report/terminal.hpp"

namespace plumb {

/// Adds the section "orders" and a table of reliability for each question.
void add_orders(const std::vector<OrderLosses>& orders, Result& result);
[[nodiscard]] std::string render_orders(const std::vector<OrderLosses>& orders,
                                        const TerminalOptions& options);

}  // namespace plumb
