// Items of a classification from memory.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "plumb/api/data.hpp"
#include "plumb/data/annotations.hpp"
#include "plumb/data/items.hpp"
#include "plumb/result.hpp"

namespace plumb {

/// Judgements one by one, as annotation tools export them.
struct AnnotationColumns {
  Data item = {};   ///< names or numbers among the ids of the items
  Data rater = {};  ///< absent: the raters are unknown, and no judgement is a repeated one
  Data label = {};  ///< class index or name; negative, NaN or empty: no judgement
};

/// Columns under the names of the command line. Nothing is guessed: predictions are probabilities or logits
/// because they are given as such.
struct ItemColumns {
  // Predictions; exactly one of them.
  Data probs = {};          ///< N x K probabilities, or N of class 1
  Data logits = {};         ///< N x K softmax logits, or N log-odds of class 1
  Data samples = {};        ///< S x N x K or S x N stochastic probabilities
  Data sample_logits = {};  ///< the same as logits
  bool normalize = false;   ///< rescale rows of probabilities to sum to 1
  // Observations; one of them, or none to apply a model.
  Data labels = {};                          ///< N class indices, or names among `classes`
  Data counts = {};                          ///< N x K votes by class
  Data ratings = {};                         ///< N x R class by rater; negative, NaN or empty: not rated
  AnnotationColumns annotations = {};        ///< joined with the predictions by `ids`
  Duplicates duplicates = Duplicates::last;  ///< what repeated judgements of a rater on an item count for
  // About the items.
  Data ids = {};            ///< N names or numbers, each once
  Data weights = {};        ///< N
  Data truth = {};          ///< N true probabilities of class 1
  Data concentration = {};  ///< N or S x N Dirichlet alpha_0
  Data groups = {};         ///< N names or numbers: the unit of resampling and of splits
  Data by = {};             ///< N names or numbers: the slices to report on
  std::vector<std::pair<std::string, Data>> slices = {};  ///< further ones, by name
  /// Names of the classes 0, 1, 2, ...; absent: the names of the predictions' columns, if they have any.
  std::vector<std::string> classes = {};
};

/// Items, and what was noticed while the columns were read.
struct ReadItems {
  Items items;
  Names ids;                       ///< empty, or one name per item
  std::vector<std::string> notes;  ///< notes on how they were read
  Tree::Members sections;          ///< sections of the result on the same
};

/// make_items() with notes for the result. Text labels then need no `classes`: they are the classes
/// in sorted order, and a note says so. `threads` does not affect the results.
[[nodiscard]] ReadItems read_columns(const ItemColumns& columns, int threads = 0);
/// The votes of known raters, `ratings` or `annotations`, for describe_raters(): predictions are not needed.
/// Without `ids` the items of annotations are those that they name. Throws InputError.
[[nodiscard]] ReadItems read_ratings(const ItemColumns& columns, int threads = 0);
/// Adds these notes and sections to a result, in the order of the command line.
void add_read_notes(const ReadItems& read, Result& result);

/// make_items() with the ids, for accumulators.
[[nodiscard]] ReadItems read_batch(const ItemColumns& columns);

/// The items refer to the columns' memory (see Data) except for groups, slices and class names.
/// Throws InputError.
[[nodiscard]] Items make_items(const ItemColumns& columns);

/// N x K probabilities, row-major, as the metrics see them (mean of the samples, softmax of logits); binary
/// tasks: N of class 1.
[[nodiscard]] std::vector<double> probabilities(const Items& items);

}  // namespace plumb
