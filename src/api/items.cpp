#include "plumb/api/items.hpp"

#include <algorithm>

#include "api/only_one.hpp"
#include "plumb/data/check.hpp"
#include "plumb/data/class_names.hpp"
#include "plumb/report/results.hpp"

namespace plumb {
namespace {

Predictions predictions(const ItemColumns& c) {
  const detail::Choice given = detail::only_one({{"probs", &c.probs},
                                                 {"logits", &c.logits},
                                                 {"samples", &c.samples},
                                                 {"sample_logits", &c.sample_logits}});
  if (given.data == nullptr) throw InputError("no predictions given; set ⟦probs⟧ or ⟦logits⟧");
  const bool logits = given.data == &c.logits || given.data == &c.sample_logits;
  const bool stacked = given.data == &c.samples || given.data == &c.sample_logits;
  if (logits && c.normalize)
    throw InputError("⟦normalize⟧ rescales probabilities and does nothing to logits; leave it out");
  const Rows rows = given.data->rows(given.name);
  return {stacked ? split_samples(rows) : std::vector{rows},
          logits ? Scale::logit : Scale::probability,
          {.normalize = c.normalize}};
}

/// A vector of N x K numbers without its K looks like many binary items.
void check_columns(const Predictions& predictions, const Rows& votes) {
  const Rows& p = predictions.sources().front();
  if (p.rank() != 1 || votes.rows() == 0 || p.rows() <= votes.rows() || p.rows() % votes.rows() != 0) return;
  const std::string columns = std::to_string(p.rows() / votes.rows());
  throw InputError(p.name() + " has " + counted(p.rows(), "value") + " but " + votes.name() + " has " +
                   counted(votes.rows(), "row") + "; if that is " + columns + " columns per item, write {" +
                   p.name() + ", " + columns + "}");
}

/// What the caller says, otherwise the columns of the predictions.
ClassNames class_names(const ItemColumns& c, const Predictions& predictions) {
  ClassNames names = c.classes;
  for (const Rows& rows : predictions.sources()) {
    const ClassNames header = header_classes(rows);
    check_class_order(rows.name(), header, c.classes.empty() ? rows.name() : opt("classes"), names);
    if (names.empty()) names = header;
  }
  return names;
}

/// Text labels without class names: their sorted values become the names, with a note, or they are refused.
enum class Unnamed { sort, refuse };

Rows with_classes(Rows rows, Unnamed unnamed, ReadItems& out) {
  ClassNames& names = out.items.class_names;
  if (unnamed == Unnamed::refuse || !rows.is_text() || !names.empty() || rows.rows() == 0) return rows;
  names = sorted_classes(rows, out.items.classes());
  out.notes.push_back(sorted_note(rows.name(), names));
  return rows;
}

Votes joined_votes(const ItemColumns& c, Unnamed unnamed, int threads, ReadItems& out) {
  if (out.ids.empty())
    throw InputError("⟦annotations⟧ names items by id; say which prediction is which item with ⟦ids⟧");
  const AnnotationColumns& given = c.annotations;
  if (!given.item.given() || !given.label.given())
    throw InputError("⟦annotations⟧ takes a column of items and one of labels");
  Annotations all;
  all.item = Names(given.item.rows("annotations"));
  all.rater = Names(given.rater.rows("annotations"), "judgement");
  all.label = with_classes(given.label.rows("annotations"), unnamed, out);
  JoinedVotes joined =
      join_annotations(all, out.ids, out.items.classes(), out.items.class_names, c.duplicates, threads);
  for (std::string& note : join_notes(joined.counts, c.duplicates, "annotations", out.ids.source()))
    out.notes.push_back(std::move(note));
  out.sections.emplace_back("annotations", annotations_section(joined.counts, c.duplicates));
  return std::move(joined.votes);
}

Votes votes(const ItemColumns& c, Unnamed unnamed, int threads, ReadItems& out) {
  const detail::Choice given = detail::only_one({{"labels", &c.labels},
                                                 {"counts", &c.counts},
                                                 {"ratings", &c.ratings},
                                                 {"annotations", &c.annotations.label}});
  if (given.data == nullptr && !c.annotations.item.given()) return {};
  if (given.data == nullptr || given.data == &c.annotations.label)
    return joined_votes(c, unnamed, threads, out);
  Rows rows = given.data->rows(given.name);
  const Predictions& predictions = out.items.predictions;
  check_columns(predictions, rows);
  const int classes = predictions.classes();
  const ClassNames& names = out.items.class_names;
  if (given.data == &c.counts) {
    const std::string other = c.classes.empty() ? predictions.sources().front().name() : opt("classes");
    check_class_order(rows.name(), header_classes(rows), other, names);
    return Votes::from_counts(std::move(rows), classes);
  }
  rows = with_classes(std::move(rows), unnamed, out);
  if (given.data == &c.labels) return Votes::from_labels(std::move(rows), classes, names);
  return Votes::from_ratings(std::move(rows), classes, names);
}

ReadItems read(const ItemColumns& c, Unnamed unnamed, int threads) {
  ReadItems out;
  Items& items = out.items;
  items.predictions = predictions(c);
  items.class_names = class_names(c, items.predictions);
  if (c.ids.given()) {
    out.ids = Names(c.ids.rows("ids"));
    check_same_rows(items.predictions.sources().front().name(), items.size(), out.ids.source(),
                    out.ids.size());
  }
  items.votes = votes(c, unnamed, threads, out);
  items.weights = ordinary_weights(c.weights.rows("weights"));
  items.truth = c.truth.rows("truth");
  if (const Rows alpha = c.concentration.rows("concentration"); !alpha.empty())
    items.concentration = alpha.rank() == 2 ? split_samples(alpha) : std::vector{alpha};
  items.groups = Names(c.groups.rows("groups"));
  if (Names by(c.by.rows("by")); !by.empty()) items.by = {std::move(by)};
  for (const auto& [name, column] : c.slices) items.by.emplace_back(column.rows(name));
  check_items(items);
  return out;
}

}  // namespace

ReadItems read_columns(const ItemColumns& c, int threads) { return read(c, Unnamed::sort, threads); }

ReadItems read_batch(const ItemColumns& c) { return read(c, Unnamed::refuse, 0); }

Items make_items(const ItemColumns& c) { return read(c, Unnamed::refuse, 0).items; }

void add_read_notes(const ReadItems& read, Result& result) {
  result.notes.insert(result.notes.begin(), read.notes.begin(), read.notes.end());
  result.sections.insert(result.sections.end(), read.sections.begin(), read.sections.end());
}

std::vector<double> probabilities(const Items& items) {
  const std::int64_t n = items.size(), width = items.predictions.width();
  std::vector<double> out(n * width);
  PredictionBlock block;
  for (std::int64_t begin = 0; begin < n; begin += block_rows(items)) {
    items.predictions.read(begin, std::min(n, begin + block_rows(items)), block);
    std::copy(block.z.begin(), block.z.end(), out.begin() + begin * width);
  }
  return out;
}

}  // namespace plumb
