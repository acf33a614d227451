// Items of a classification from memory.
#pragma once

#include <string>
#include <vector>

#include "plumb/api/data.hpp"
#include "plumb/data/items.hpp"

namespace plumb {

/// Columns by the names that the command line has for them. Nothing is guessed: a prediction is probabilities
/// or logits because it is given as such.
struct ItemColumns {
  // What the model said; one of them.
  Data probs = {};          ///< N x K probabilities, or N of class 1
  Data logits = {};         ///< N x K softmax logits, or N log-odds of class 1
  Data samples = {};        ///< S x N x K or S x N stochastic probabilities
  Data sample_logits = {};  ///< the same as logits
  bool normalize = false;   ///< rescale rows of probabilities to sum to 1
  // What was observed; one of them, or none to apply a model.
  Data labels = {};   ///< N class indices, or names among `classes`
  Data counts = {};   ///< N x K votes by class
  Data ratings = {};  ///< N x R class by rater; negative, NaN or empty: not rated
  // About the items.
  Data weights = {};                      ///< N
  Data truth = {};                        ///< N true probabilities of class 1
  Data concentration = {};                ///< N or S x N Dirichlet alpha_0
  Data groups = {};                       ///< N names or numbers: the unit of resampling and of splits
  Data by = {};                           ///< N names or numbers: the slices to report on
  std::vector<std::string> classes = {};  ///< names of the classes 0, 1, 2, ...
};

/// The items refer to the columns' memory (see Data) except for groups, slices and class
/// names. Throws InputError.
[[nodiscard]] Items make_items(const ItemColumns& columns);

/// N x K probabilities, row-major, as the metrics see them (mean of the samples, softmax of logits); binary
/// tasks: N of class 1.
[[nodiscard]] std::vector<double> probabilities(const Items& items);

}  // namespace plumb
