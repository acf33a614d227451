// The flags that name input files, and the items that come out of them.
#pragma once

#include <optional>
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
/// Those that affect an estimate: without slices, names and true probabilities.
void add_estimate_flags(Flags& flags, InputFlags& out);
/// Flags of observations and of items.
void add_vote_flags(Flags& flags, InputFlags& out);
/// Those that decide whether an answer is right: also without concentration.
void add_answer_flags(Flags& flags, InputFlags& out);
/// Only those of the predictions.
void add_prediction_flags(Flags& flags, InputFlags& out);

/// The files that were read.
struct InputRecord {
  std::vector<InputInfo> infos;    ///< one for each file, in the order of the flags
  std::vector<std::string> paths;  ///< the same files without what was selected from them
  std::vector<std::string> notes;  ///< notes about how they were read
  Tree::Members sections;          ///< of the result, about the same
  int weight_exponent = 0;  ///< of the power of two that brought very small weights to an ordinary size
};
/// InputError when a state would be saved of weights that were rescaled.
void check_state_weights(const InputRecord& record, const std::string& save_state);
struct Inputs : InputRecord {
  Items items;
  Names ids;  ///< empty, or one name per item
};
/// Notes about reading come before later notes.
void add_input_record(const InputRecord& record, Result& result);
/// The notes, for commands that print no table of notes.
[[nodiscard]] std::string notes_text(const InputRecord& record);

/// How groups, slices and ids are read: 007 and 7 are two names.
inline constexpr LoadOptions kNames{Want::names, false, 0};

/// Loads the files that flags name and keeps the record for the result.
class Loader {
 public:
  Loader(int threads, InputRecord& record) : threads_(threads), record_(record) {}
  std::vector<Array> arrays(const std::string& flag, const Args& specs, LoadOptions options = {});
  /// One row per item, in shards; none where no file is named.
  Rows rows(const std::string& flag, const Args& specs, LoadOptions options = {});
  /// Several files of one column are shards, or a rater each when each has a row for every item; without
  /// `items`, when all are of one length.
  Rows ratings(const std::string& flag, const Args& specs, std::optional<std::int64_t> items = {});
  /// Of an ordinary size (ordinary_weights).
  Rows weights(const Args& specs);
  /// Ways to slice, each of one file or of shards that add up to `items` rows.
  std::vector<Names> slices(const Args& specs, std::int64_t items);
  /// Names of items, one for each; none where no file is named.
  Names ids(const Args& specs, const std::string& predictions, std::int64_t items);

 private:
  int threads_;
  InputRecord& record_;
};
/// Text needs names of the classes: its own, sorted, where nothing else gives them, with a note. `classes` 0:
/// any number.
[[nodiscard]] Rows with_classes(Rows labels, int classes, Args& names, InputRecord& record);
/// Shards of one list of rows.
[[nodiscard]] Rows stack(const std::string& flag, std::vector<Array> shards);
/// S x N x K or S x N: one array for each `what` ("pass").
void split_first_axis(const Array& all, const std::string& what, std::vector<Rows>& out);

[[nodiscard]] Inputs load_inputs(const InputFlags& flags, int threads);
/// The same for other predictions than those that flags name, already loaded by the loader of `out`.
void load_beside(const InputFlags& flags, Predictions predictions, int threads, Inputs& out);
/// Predictions alone: items without votes.
[[nodiscard]] Inputs load_predictions(const InputFlags& flags, int threads);

}  // namespace plumb::cli
