#include "plumb/metrics/streaming/calibration_error.hpp"

#include <cmath>

#include "metrics/streaming/exact_product.hpp"

namespace plumb {
namespace {

bool empty(const Bin& c) { return c.w.is_zero(); }

/// s^2 - squares, where nearly all of it may cancel (one item that outweighs the rest): no digit is lost
/// to cancellation.
double less_squares(const ExactSum& s, const ExactSum& squares) {
  const double head = s.value();
  ExactSum rest = s;
  rest.subtract(ExactSum(head));
  const double tail = rest.value();
  ExactSum result;
  detail::add_product(result, head, head);
  detail::add_product(result, 2 * head, tail);
  detail::add_product(result, tail, tail);
  result.subtract(squares);
  return result.value();
}

/// The expected excess of gap^2 over the squared error of the bin. With W = sum w_i n_i, debiasing replaces
/// c^2 by (W^2 c^2 - sum (w_i h_i)^2) / (W^2 - sum (w_i n_i)^2), the mean of y_i y_j over votes of distinct
/// items (docs/metrics/calibration_errors.md): items are independent, votes of one item need not be. This is
/// the difference of the two. With one vote per item it is c (1 - c) / (n - 1) (Mimori 2021, eq. 13).
/// Unbiased given the forecasts where E[y | p] is the same for all p of the bin.
double excess(const Bin& c) {
  const double square = c.mean_y() * c.mean_y();
  const double pairs = less_squares(c.w, c.ww);
  if (c.ww.value() > pairs)
    return square - less_squares(c.wy, c.wwyy) / pairs;     // one item outweighs the rest
  return (c.wwyy.value() - c.ww.value() * square) / pairs;  // the same number, with less to cancel
}

}  // namespace

Estimate ece(const ReliabilityTable& t) {
  const Bin total = t.total();
  if (empty(total)) return no_votes();
  ExactSum sum;  // (n_b / N) |gap_b| = |sum w p - sum w y| / N
  for (const Bin& c : t.bins) {
    ExactSum difference = c.wp;
    difference.subtract(c.wy);
    difference.value() < 0 ? sum.subtract(difference) : sum.merge(difference);
  }
  return sum.value() / total.w.value();
}

Estimate ece_l2(const ReliabilityTable& t) {
  const Bin total = t.total();
  if (empty(total)) return no_votes();
  double sum = 0;
  for (const Bin& c : t.bins)
    if (!empty(c)) sum += c.w.value() * c.gap() * c.gap();
  return std::sqrt(sum / total.w.value());
}

Estimate mce(const ReliabilityTable& t) {
  if (empty(t.total())) return no_votes();
  double largest = 0;
  for (const Bin& c : t.bins)
    if (!empty(c)) largest = std::max(largest, std::abs(c.gap()));
  return largest;
}

Estimate ece_l2_debiased(const ReliabilityTable& t) {
  const Bin total = t.total();
  if (empty(total)) return no_votes();
  double sum = 0;
  std::uint64_t items = 0;
  for (const Bin& c : t.bins) {
    if (c.items < 2) continue;
    sum += c.w.value() * (c.gap() * c.gap() - excess(c));
    items += c.items;
  }
  if (items == 0) return Estimate::undefined("no bin holds two items, which debiasing needs");
  Estimate result = std::copysign(std::sqrt(std::abs(sum) / total.w.value()), sum);
  if (items != total.items) result.items = items;
  return result;
}

Estimate ece_classwise(std::span<const ReliabilityTable> classes) {
  if (classes.empty()) return no_votes();
  ExactSum sum;
  for (const ReliabilityTable& t : classes) {
    const Estimate e = ece(t);
    if (!e) return e;
    sum.add(*e.value);
  }
  return sum.value() / classes.size();
}

Estimate mean_gap(const ReliabilityTable& t) {
  const Bin total = t.total();
  if (empty(total)) return no_votes();
  return std::abs(total.gap());
}

Estimate oe_ratio(const ReliabilityTable& t) {
  const Bin total = t.total();
  if (empty(total)) return no_votes();
  if (total.wp.is_zero()) return Estimate::undefined("every forecast is 0, so no events are expected");
  return total.wy.value() / total.wp.value();
}

BrierParts brier_parts(const ReliabilityTable& t) {
  const Bin total = t.total();
  if (empty(total)) return {};
  const double base = total.mean_y();
  double reliability = 0, resolution = 0;
  for (const Bin& c : t.bins) {
    if (empty(c)) continue;
    const double lift = c.mean_y() - base;
    reliability += c.w.value() * c.gap() * c.gap();
    resolution += c.w.value() * lift * lift;
  }
  return {reliability / total.w.value(), resolution / total.w.value(), base * (1 - base)};
}

}  // namespace plumb
