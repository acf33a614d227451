#include "plumb/api/items.hpp"

#include <algorithm>

#include "api/only_one.hpp"
#include "plumb/data/check.hpp"

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

Votes votes(const ItemColumns& c, const Predictions& predictions) {
  const detail::Choice given =
      detail::only_one({{"labels", &c.labels}, {"counts", &c.counts}, {"ratings", &c.ratings}});
  if (given.data == nullptr) return {};
  Rows rows = given.data->rows(given.name);
  check_columns(predictions, rows);
  const int classes = predictions.classes();
  if (given.data == &c.labels) return Votes::from_labels(std::move(rows), classes, c.classes);
  if (given.data == &c.counts) return Votes::from_counts(std::move(rows), classes);
  return Votes::from_ratings(std::move(rows), classes, c.classes);
}

}  // namespace

Items make_items(const ItemColumns& c) {
  Items items;
  items.predictions = predictions(c);
  items.votes = votes(c, items.predictions);
  items.weights = ordinary_weights(c.weights.rows("weights"));
  items.truth = c.truth.rows("truth");
  if (const Rows alpha = c.concentration.rows("concentration"); !alpha.empty())
    items.concentration = alpha.rank() == 2 ? split_samples(alpha) : std::vector{alpha};
  items.groups = Names(c.groups.rows("groups"));
  if (Names by(c.by.rows("by")); !by.empty()) items.by = {std::move(by)};
  items.class_names = c.classes;
  check_items(items);
  return items;
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
