// Items of a regression from memory.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "plumb/api/data.hpp"
#include "plumb/regression/column.hpp"
#include "plumb/regression/evaluate.hpp"

namespace plumb {

/// Columns under the names of the command line.
struct RegressionColumns {
  // Predictions.
  Data mean = {};              ///< N or N x d
  Data mean_samples = {};      ///< of stochastic passes instead, S x N or S x N x d
  Data variance = {};          ///< predictive variance, N or N x d; N applies to all d outputs
  Data std = {};               ///< its square root instead
  Data aleatoric = {};         ///< the variance in its two parts: due to the data,
  Data epistemic = {};         ///< and due to the model
  Data variance_samples = {};  ///< aleatoric variance of each pass
  // What was observed; absent to apply a model.
  Data targets = {};  ///< N or N x d
  Data errors = {};   ///< target minus mean, instead of the two
  // About the items.
  Data weights = {};  ///< N
  Data groups = {};   ///< N names or numbers: the unit of resampling and of splits
  Data by = {};       ///< N names or numbers: the slices to report on
  std::vector<std::pair<std::string, Data>> slices = {};  ///< further ones, by name
};

/// The items refer to the columns' memory (see Data) except for groups and slices. Throws InputError.
[[nodiscard]] RegressionItems make_regression_items(const RegressionColumns& columns);

[[nodiscard]] inline Result evaluate(const RegressionItems& items, const RegressionOptions& options = {}) {
  return evaluate_regression(items, options);
}

/// Adds the comparison with the predicted variances of a reference set (`in_std`: it has
/// standard deviations).
void add_reference(const Data& reference, bool in_std, const RegressionItems& items,
                   const RegressionOptions& options, Result& result);

/// N x d predictive variances, row-major, as the metrics see them: the sum of the parts.
[[nodiscard]] std::vector<double> variances(const RegressionItems& items);

}  // namespace plumb
