#include "plumb/api/items.hpp"

#include <algorithm>

#include "api/only_one.hpp"
#include "plumb/data/check.hpp"
#include "plumb/data/class_names.hpp"
#include "plumb/numeric/narrow.hpp"
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

/// `classes`: how many there have to be; 0: any number.
Rows with_classes(Rows rows, Unnamed unnamed, int classes, ReadItems& out) {
  ClassNames& names = out.items.class_names;
  if (unnamed == Unnamed::refuse || !rows.is_text() || !names.empty() || rows.rows() == 0) return rows;
  names = sorted_classes(rows, classes);
  out.notes.push_back(sorted_note(rows.name(), names));
  return rows;
}

Annotations annotations(const AnnotationColumns& given) {
  if (!given.item.given() || !given.label.given())
    throw InputError("⟦annotations⟧ takes a column of items and one of labels");
  Annotations out;
  out.item = Names(given.item.rows("annotations"));
  out.rater = Names(given.rater.rows("annotations"), "judgement");
  out.label = given.label.rows("annotations");
  return out;
}

Votes joined(const Annotations& all, const ItemColumns& c, int classes, int threads, ReadItems& out) {
  JoinedVotes joined = join_annotations(all, out.ids, classes, out.items.class_names, c.duplicates, threads);
  for (std::string& note : join_notes(joined.counts, c.duplicates, "annotations", out.ids.source()))
    out.notes.push_back(std::move(note));
  out.sections.emplace_back("annotations", annotations_section(joined.counts, c.duplicates));
  return std::move(joined.votes);
}

Votes joined_votes(const ItemColumns& c, Unnamed unnamed, int threads, ReadItems& out) {
  if (out.ids.empty())
    throw InputError("⟦annotations⟧ names items by id; say which prediction is which item with ⟦ids⟧");
  Annotations all = annotations(c.annotations);
  all.label = with_classes(std::move(all.label), unnamed, out.items.classes(), out);
  return joined(all, c, out.items.classes(), threads, out);
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
  rows = with_classes(std::move(rows), unnamed, classes, out);
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

ReadItems read_ratings(const ItemColumns& c, int threads) {
  const bool rated = c.ratings.given(), annotated = c.annotations.item.given() || c.annotations.label.given();
  if (rated == annotated)
    throw InputError("give the votes as ⟦ratings⟧ or as ⟦annotations⟧, which say who voted");
  if (c.labels.given() || c.counts.given())
    throw InputError((c.labels.given() ? opt("labels") : opt("counts")) +
                     " does not say who voted; give ⟦ratings⟧ or ⟦annotations⟧");
  if (c.probs.given() || c.logits.given()) return read_columns(c, threads);
  ReadItems out;
  Items& items = out.items;
  items.class_names = c.classes;
  const auto classes = [&](const Rows& labels) {
    return items.class_names.empty() ? count_classes(labels) : narrow<int>(std::ssize(items.class_names));
  };
  if (c.ids.given()) out.ids = Names(c.ids.rows("ids"));
  if (rated) {
    Rows rows = with_classes(c.ratings.rows("ratings"), Unnamed::sort, 0, out);
    const int k = classes(rows);
    items.votes = Votes::from_ratings(std::move(rows), k, items.class_names);
    if (!out.ids.empty()) check_same_rows("ratings", items.votes.items(), out.ids.source(), out.ids.size());
  } else {
    Annotations all = annotations(c.annotations);
    all.label = with_classes(std::move(all.label), Unnamed::sort, 0, out);
    if (out.ids.empty() && c.groups.given())
      throw InputError(
          "⟦groups⟧ has a row for each item, but the order of the items is not given; name them with ⟦ids⟧");
    if (out.ids.empty()) {
      std::vector<std::string> names = all.item.distinct();
      const std::int64_t n = std::ssize(names);
      out.ids = Names(Rows(array_of(std::move(names), {n}, all.item.source())));
    }
    items.votes = joined(all, c, classes(all.label), threads, out);
  }
  if (!c.groups.given()) return out;
  items.groups = Names(c.groups.rows("groups"));
  check_same_rows(items.votes.rows().name(), items.votes.items(), items.groups.source(), items.groups.size());
  return out;
}

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
