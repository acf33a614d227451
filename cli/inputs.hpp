// The flags that name input files, and the items that come out of them.
#pragma once

#include <string>
#include <vector>

#include "plumb/data/items.hpp"
#include "plumb/io/load.hpp"
#include "plumb/result.hpp"
#include "shell/flags.hpp"

namespace plumb::cli {

struct InputFlags {
  Args probs, logits, samples, sample_logits;
  Args labels, counts, ratings, annotations;
  std::string duplicates = "last";
  Args weights, groups, by, ids, truth, concentration;
  Args classes;
  PredictionOptions predictions;
};

void add_input_flags(Flags& flags, InputFlags& out);
/// Those of them that move an estimate: no slices, names and true probabilities.
void add_estimate_flags(Flags& flags, InputFlags& out);
/// What was observed, and about which items.
void add_vote_flags(Flags& flags, InputFlags& out);
/// Those of them that say whether an answer is right: no concentration either.
void add_answer_flags(Flags& flags, InputFlags& out);
/// Only those of the predictions.
void add_prediction_flags(Flags& flags, InputFlags& out);

/// The files that were read.
struct Books {
  std::vector<InputInfo> infos;    ///< one for each file, in the order of the flags
  std::vector<std::string> paths;  ///< the same files without what was selected from them
  std::vector<std::string> notes;  ///< what a reader must know about how they were read
  Tree::Members sections;          ///< of the result, about the same
  int weight_exponent = 0;  ///< of the power of two that brought very small weights to an ordinary size
};
/// InputError when a state would be saved of weights that were rescaled.
void check_state_weights(const Books& books, const std::string& save_state);
struct Inputs : Books {
  Items items;
  Names ids;  ///< empty, or one name per item
};
/// What was noticed while reading stands before what was noticed later.
void put_books(const Books& books, Result& result);
/// The notes, for commands whose table has no place for them.
[[nodiscard]] std::string notes_text(const Books& books);

/// How groups, slices and ids are read: 007 and 7 are two names.
inline constexpr LoadOptions kNames{Want::names, false, 0};

/// Loads the files that flags name and keeps the books for the result.
class Loader {
 public:
  Loader(int threads, Books& books) : threads_(threads), books_(books) {}
  std::vector<Array> arrays(const std::string& flag, const Args& specs, LoadOptions options = {});
  /// One row an item, in shards; none where no file is named.
  Rows rows(const std::string& flag, const Args& specs, LoadOptions options = {});
  /// Of an ordinary size (ordinary_weights).
  Rows weights(const Args& specs);
  /// Ways to slice, each of one file or of shards that add up to `items` rows.
  std::vector<Names> slices(const Args& specs, std::int64_t items);
  /// Names of items, one for each; none where no file is named.
  Names ids(const Args& specs, const std::string& predictions, std::int64_t items);

 private:
  int threads_;
  Books& books_;
};
/// Shards of one list of rows.
[[nodiscard]] Rows stack(const std::string& flag, std::vector<Array> shards);
/// S x N x K or S x N: one array for each `what` ("pass").
void split_first_axis(const Array& all, const std::string& what, std::vector<Rows>& out);

[[nodiscard]] Inputs load_inputs(const InputFlags& flags, int threads);
/// Predictions alone: items without votes.
[[nodiscard]] Inputs load_predictions(const InputFlags& flags, int threads);

}  // namespace plumb::cli
