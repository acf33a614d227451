#include "calibrate/passes.hpp"

namespace plumb::detail {
namespace {

std::vector<std::int64_t> repeated(std::int64_t items, int passes) {
  std::vector<std::int64_t> rows(items * passes);
  for (std::int64_t i = 0; i < std::ssize(rows); ++i) rows[i] = i % items;
  return rows;
}

}  // namespace

Predictions one_pass(const Predictions& predictions, int s) {
  return {{predictions.sources().at(s)}, predictions.scale(), {predictions.normalizes()}};
}

Rows every_pass(const Rows& features, std::int64_t items, int passes) {
  return features.empty() ? features : features.gather(repeated(items, passes));
}

Items every_pass(const Items& items) {
  const Predictions& p = items.predictions;
  const std::vector<std::int64_t> rows = repeated(items.size(), p.samples());
  std::vector<Array> passes;
  for (const Rows& source : p.sources())
    passes.insert(passes.end(), source.shards().begin(), source.shards().end());
  Items out;
  out.predictions = Predictions({Rows(std::move(passes))}, p.scale(), {p.normalizes()});
  out.votes = items.votes.gather(rows);
  out.weights = items.weights.gather(rows);
  out.class_names = items.class_names;
  if (!items.groups.empty()) {
    out.groups = items.groups.gather(rows);
  } else {
    out.groups = Names(Rows(array_of(rows, {std::ssize(rows)}, "items")));
  }
  return out;
}

}  // namespace plumb::detail
