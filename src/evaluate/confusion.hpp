// Predicted against observed classes: expected counts of items.
#pragma once

#include "plumb/data/items.hpp"
#include "plumb/result.hpp"

namespace plumb::detail {

inline constexpr int kWholeConfusion = 20;      ///< up to so many classes every cell is reported
inline constexpr std::size_t kConfusions = 50;  ///< of more classes: so many cells off the diagonal

/// Rows: predicted, observed (classes), items, share. An item of weight w whose most probable class is k and
/// whose votes name class j with share s adds w s to items(k, j): with one label each, a plain count.
/// share = items(k, j) / sum over k. More than kWholeConfusion classes: the largest cells off the diagonal,
/// those of more items first. Sums are integers (fixed point): the same bits for any order of rows.
[[nodiscard]] Table confusion_rows(const Items& items, int threads);

}  // namespace plumb::detail
