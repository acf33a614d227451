#include "inputs.hpp"

#include <algorithm>
#include <set>

#include "annotations.hpp"
#include "class_file.hpp"
#include "plumb/data/check.hpp"
#include "plumb/data/class_names.hpp"

namespace plumb::cli {
namespace {

// N by R from R files of N.
Rows side_by_side(const std::vector<Array>& files) {
  const std::int64_t n = files.front().shape[0], width = std::ssize(files);
  const std::string name = Rows(files).name();  // throws if text and numbers are mixed
  const auto fill = [&](auto matrix, auto read) {
    for (std::size_t r = 0; r < files.size(); ++r) {
      const Rows column(files[r]);
      for (std::int64_t i = 0; i < n; ++i) matrix[i * width + r] = read(column, i);
    }
    Array out = array_of(std::move(matrix), {n, width}, name);
    for (const Array& file : files) out.columns.push_back(source_title(file.name));
    if (std::set<std::string>(out.columns.begin(), out.columns.end()).size() < files.size())
      for (std::int64_t r = 0; r < width; ++r) out.columns[r] = files[r].name;  // one column of many files
    return Rows(std::move(out));
  };
  const std::int64_t cells = n * width;
  if (files.front().dtype == DType::text)
    return fill(std::vector<std::string>(cells),
                [](const Rows& c, std::int64_t i) { return std::string(c.text(i)); });
  return fill(std::vector<double>(cells), [](const Rows& c, std::int64_t i) {
    double x = 0;
    c.read(i, i + 1, {&x, 1});
    return x;
  });
}

std::vector<Rows> samples(const std::string& flag, std::vector<Array> files) {
  std::vector<Rows> out;
  const bool alone = files.size() == 1;
  for (Array& file : files) {
    const std::size_t rank = file.shape.size();
    if (rank > 3 || (alone && rank < 2))
      throw InputError(file.name + " has the shape " + show_shape(file.shape) + "; " + flag +
                       " takes one array of S x N x K or S x N, or one N x K file for each sample");
    if (rank == 3 || alone) {
      split_first_axis(file, "sample", out);
    } else {
      out.emplace_back(std::move(file));
    }
  }
  if (out.empty()) throw InputError(files.front().name + ": there are no samples (the first extent is 0)");
  return out;
}

Predictions predictions(const InputFlags& f, Loader& load) {
  const bool is_logits = !f.logits.empty() || !f.sample_logits.empty();
  const Scale scale = is_logits ? Scale::logit : Scale::probability;
  if (is_logits && f.predictions.normalize)
    throw InputError("--normalize rescales probabilities and does nothing to logits; leave it out");
  if (!f.samples.empty())
    return {samples("--samples", load.arrays("--samples", f.samples, {})), scale, f.predictions};
  if (!f.sample_logits.empty())
    return {samples("--sample-logits", load.arrays("--sample-logits", f.sample_logits, {})), scale,
            f.predictions};
  if (f.probs.empty() && f.logits.empty())
    throw InputError("no predictions given; use --probs or --logits (see plumb evaluate --help)");
  const Rows rows = is_logits ? load.rows("--logits", f.logits) : load.rows("--probs", f.probs);
  return {{rows}, scale, f.predictions};
}

// N for every sample, S x N, or with stochastic predictions a file for each sample.
std::vector<Rows> concentration(const InputFlags& f, int samples, Loader& load) {
  std::vector<Array> files = load.arrays("--concentration", f.concentration, {});
  std::vector<Rows> out;
  if (samples == 1 && files.front().shape.size() == 1) return {stack("--concentration", std::move(files))};
  for (Array& file : files) {
    if (file.shape.size() == 2) {
      split_first_axis(file, "sample", out);
    } else {
      out.emplace_back(std::move(file));
    }
  }
  return out;
}

// --classes of one word that is a file: a name a line.
InputFlags with_class_file(InputFlags f) {
  if (f.classes.size() == 1) f.classes = names_in_file(f.classes.front());
  return f;
}

// What --classes says, otherwise the header of the predictions.
Args class_names(const InputFlags& f, const Predictions& predictions) {
  Args names;
  for (const Rows& rows : predictions.sources()) {
    const Args header = header_classes(rows);
    if (header.empty()) continue;
    check_class_order(rows.name(), header, "--classes", f.classes);
    check_class_order(rows.name(), header, predictions.sources().front().name(), names);
    if (names.empty()) names = header;
  }
  return f.classes.empty() ? names : f.classes;
}

Votes annotated_votes(const InputFlags& f, int threads, Inputs& in) {
  if (in.ids.empty())
    throw InputError(
        "--annotations names items by id; say which prediction is which item with --ids, as in --ids predictions.csv:id");
  Annotations all = load_annotations(f.annotations, threads, in);
  Args& names = in.items.class_names;
  all.label = with_classes(std::move(all.label), in.items.classes(), names, in);
  return joined_votes(all, in.ids, in.items.classes(), names, f.duplicates, threads, in);
}

/// May give the classes their names.
Votes votes(const InputFlags& f, int threads, Loader& load, Inputs& in) {
  const Predictions& predictions = in.items.predictions;
  const int classes = predictions.classes();
  Args& names = in.items.class_names;
  if (!f.labels.empty()) {
    Rows rows = with_classes(load.rows("--labels", f.labels, {Want::either, false, 0}), classes, names, in);
    return Votes::from_labels(std::move(rows), classes, names);
  }
  if (!f.counts.empty()) {
    const Rows counts = load.rows("--counts", f.counts);
    const std::string other = f.classes.empty() ? predictions.sources().front().name() : "--classes";
    check_class_order(counts.name(), header_classes(counts), other, names);
    return Votes::from_counts(counts, classes);
  }
  if (!f.ratings.empty()) {
    Rows rows = with_classes(load.ratings("--ratings", f.ratings, predictions.items()), classes, names, in);
    return Votes::from_ratings(std::move(rows), classes, names);
  }
  if (!f.annotations.empty()) return annotated_votes(f, threads, in);
  throw InputError(
      "no labels or votes given; use --labels, --counts, --ratings or --annotations (see plumb evaluate --help)");
}

// Columns with the same names in another order cannot be detected from the numbers.
void check_columns(const std::vector<Array>& shards) {
  for (const Array& a : shards) {
    const Array& first = shards.front();
    if (a.columns == first.columns ||
        !std::is_permutation(a.columns.begin(), a.columns.end(), first.columns.begin(), first.columns.end()))
      continue;
    throw InputError(a.name + " has the same columns as " + first.name +
                     " in a different order; select them in the same order, as in FILE:a,b");
  }
}

}  // namespace

Rows with_classes(Rows out, int classes, Args& names, InputRecord& record) {
  if (!out.is_text() || !names.empty() || out.rows() == 0) return out;
  names = sorted_classes(out, classes);
  record.notes.push_back(sorted_note(out.name(), names));
  return out;
}

Rows Loader::ratings(const std::string& flag, const Args& specs, std::optional<std::int64_t> items) {
  std::vector<Array> files = arrays(flag, specs, {Want::either, true, 0});
  const std::vector<std::int64_t> one_rater = items ? std::vector<std::int64_t>{*items} : files.front().shape;
  const bool raters =
      files.size() > 1 && one_rater.size() == 1 &&
      std::all_of(files.begin(), files.end(), [&](const Array& a) { return a.shape == one_rater; });
  return raters ? side_by_side(files) : stack(flag, std::move(files));
}

std::vector<Array> Loader::arrays(const std::string& flag, const Args& specs, LoadOptions options) {
  options.threads = threads_;
  std::vector<Array> out;
  for (const Source& source : resolve(specs)) {
    out.push_back(load_one(source, options));
    const Array& a = out.back();
    record_.infos.push_back({flag, a.name, a.shape, dtype_name(a.dtype), ""});
    record_.paths.push_back(source.path);
  }
  return out;
}

Rows Loader::rows(const std::string& flag, const Args& specs, LoadOptions options) {
  return specs.empty() ? Rows() : stack(flag, arrays(flag, specs, options));
}

std::vector<Names> Loader::slices(const Args& specs, std::int64_t items) {
  std::vector<Names> out;
  std::vector<Array> shards;
  std::int64_t rows = 0;
  const auto close = [&] {
    if (!shards.empty()) out.emplace_back(stack("--by", std::move(shards)));
    shards.clear();
    rows = 0;
  };
  for (Array& file : arrays("--by", specs, kNames)) {
    const std::int64_t more = file.shape.empty() ? 0 : file.shape[0];
    if (rows + more > items) close();  // the next check names both lengths
    rows += more;
    shards.push_back(std::move(file));
    if (rows == items) close();
  }
  close();
  return out;
}

Names Loader::ids(const Args& specs, const std::string& predictions, std::int64_t items) {
  if (specs.empty()) return {};
  Names ids(rows("--ids", specs, kNames));
  check_same_rows(predictions, items, ids.source(), ids.size());
  return ids;
}

void add_input_record(const InputRecord& record, Result& result) {
  result.inputs = record.infos;
  result.notes.insert(result.notes.begin(), record.notes.begin(), record.notes.end());
  result.sections.insert(result.sections.end(), record.sections.begin(), record.sections.end());
}

Rows Loader::weights(const Args& specs) {
  const Rows given = rows("--weights", specs);
  return ordinary_weights(given, &record_.weight_exponent);
}

std::string notes_text(const InputRecord& record) {
  std::string out;
  for (const std::string& note : record.notes) out += "Note: " + note + ".\n";
  return out;
}

void check_state_weights(const InputRecord& record, const std::string& save_state) {
  if (save_state.empty() || record.weight_exponent == 0) return;
  throw InputError(
      "--save-state: all weights are below 1e-9, and states of several shards can be merged only if their weights are on one scale; multiply the weights of every shard by the same large number");
}

Rows stack(const std::string& flag, std::vector<Array> shards) {
  check_columns(shards);
  try {
    return Rows(std::move(shards));
  } catch (const InputError&) {
    throw;
  } catch (const std::invalid_argument& e) {
    throw InputError(flag + ": the files do not fit together as shards: " + e.what());
  }
}

void split_first_axis(const Array& all, const std::string& what, std::vector<Rows>& out) {
  for (std::int64_t s = 0; s < all.shape[0]; ++s) {
    Array one = all;
    one.shape.erase(one.shape.begin());
    one.strides.erase(one.strides.begin());
    one.data = all.data + s * all.strides[0];
    one.name = all.name + " (" + what + " " + std::to_string(s) + ")";
    out.emplace_back(std::move(one));
  }
}

void add_prediction_flags(Flags& flags, InputFlags& f) {
  flags.heading("Predictions (give one)");
  flags.files("--probs", "FILE", f.probs, "probabilities, N x K, or N for P(class 1)");
  flags.files("--logits", "FILE", f.logits, "softmax logits, N x K, or N log-odds of class 1");
  flags.files("--samples", "FILE", f.samples,
              "probabilities of stochastic predictions, S x N x K, or one file per sample");
  flags.files("--sample-logits", "FILE", f.sample_logits, "the same as logits");
  flags.toggle("--normalize", f.predictions.normalize, "rescale rows of probabilities to sum to 1");
  flags.exclusive({"--probs", "--logits", "--samples", "--sample-logits"});
}

void add_vote_flags(Flags& flags, InputFlags& f) {
  flags.heading("Labels or votes (give one)");
  flags.files("--labels", "FILE", f.labels, "N class indices, or text: the names of the classes");
  flags.files("--counts", "FILE", f.counts, "N x K votes per class");
  flags.files("--ratings", "FILE", f.ratings,
              "N x R, the class from each rater, or one file per rater; negative or empty: not rated");
  flags.files("--annotations", "FILE", f.annotations,
              "one judgement per row, FILE:item,rater,label, joined with the predictions by --ids");
  flags.choice("--duplicates", {"last", "keep", "refuse"}, f.duplicates,
               "with --annotations: repeated judgements of one rater on one item");
  flags.list(
      "--classes", "a,b,c", f.classes,
      "names of the classes 0, 1, 2, ..., or a text file with one per line [the header of the predictions]");
  flags.heading("Items");
  flags.files("--ids", "FILE", f.ids, "N item names");
  flags.files("--weights", "FILE", f.weights, "N weights; each vote of an item counts that much");
  flags.files("--groups", "FILE", f.groups, "N patients, images or sites: the unit of resampling");
  flags.exclusive({"--labels", "--counts", "--ratings", "--annotations"});
}

void add_answer_flags(Flags& flags, InputFlags& f) {
  add_prediction_flags(flags, f);
  add_vote_flags(flags, f);
}

void add_estimate_flags(Flags& flags, InputFlags& f) {
  add_answer_flags(flags, f);
  flags.files("--concentration", "FILE", f.concentration, "N or S x N Dirichlet alpha_0, for disagreement");
}

void add_input_flags(Flags& flags, InputFlags& f) {
  add_estimate_flags(flags, f);
  flags.files("--by", "FILE", f.by,
              "N slice names or numbers; results are also reported by slice (repeat for another slicing)");
  flags.files("--truth", "FILE", f.truth, "N true probabilities of class 1, when known");
}

Inputs load_predictions(const InputFlags& flags, int threads) {
  Inputs out;
  const InputFlags f = with_class_file(flags);
  Loader load(threads, out);
  out.items.predictions = predictions(f, load);
  out.items.class_names = class_names(f, out.items.predictions);
  return out;
}

Inputs load_inputs(const InputFlags& flags, int threads) {
  Inputs out;
  Loader load(threads, out);
  load_beside(flags, predictions(flags, load), threads, out);
  return out;
}

void load_beside(const InputFlags& flags, Predictions given, int threads, Inputs& out) {
  const InputFlags f = with_class_file(flags);
  Loader load(threads, out);
  Items& items = out.items;
  items.predictions = std::move(given);
  items.class_names = class_names(f, items.predictions);
  out.ids = load.ids(f.ids, items.predictions.sources().front().name(), items.size());
  items.votes = votes(f, threads, load, out);
  items.weights = load.weights(f.weights);
  items.truth = load.rows("--truth", f.truth);
  if (!f.concentration.empty()) items.concentration = concentration(f, items.predictions.samples(), load);
  if (!f.groups.empty()) items.groups = Names(load.rows("--groups", f.groups, kNames));
  items.by = load.slices(f.by, items.size());
  check_items(items);
}

}  // namespace plumb::cli
