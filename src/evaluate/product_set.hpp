// The products of passes over the data. A metric names the products that it is read off; a run computes the
// union of them, once for the data and once for every draw.
#pragma once

#include "plumb/numeric/enum_set.hpp"

namespace plumb::detail {

enum class Product : unsigned {
  // Sums of bounded size, from a streaming pass.
  event_table,    ///< reliability table of the event
  class_tables,   ///< one for each class
  proper_scores,  ///< accuracy, log-loss, Brier score, errors against the truth
  event_log,      ///< log-loss of the event
  histogram,      ///< shares of votes against probabilities, by class
  disagreement,   ///< pairs of votes that differ, against their forecast
  agreement,      ///< of the raters among themselves
  // Columns, and what is computed from them as a whole.
  event_column,       ///< the event's forecasts, ascending
  confidence_column,  ///< those of the most probable class, ascending (several classes: the event's)
  kde,                ///< kernel errors of the event
  class_kde,          ///< kernel error of each class
  canonical,          ///< kernel error on the simplex
  smooth,             ///< smooth calibration error of the event
};

using ProductSet = EnumSet<Product>;

inline constexpr ProductSet kStreamingProducts{
    Product::event_table, Product::class_tables, Product::proper_scores, Product::event_log,
    Product::histogram,   Product::disagreement, Product::agreement};

}  // namespace plumb::detail
