#include "plumb/data/one_vs_rest.hpp"

#include <algorithm>

#include "plumb/data/check.hpp"

namespace plumb {
namespace {

constexpr std::int64_t kOneClassBlock = 4096;

/// body(begin, end) for all rows, a block at a time.
template <class Body>
void each_rows(std::int64_t n, Body body) {
  for (std::int64_t begin = 0; begin < n; begin += kOneClassBlock)
    body(begin, std::min(n, begin + kOneClassBlock));
}

Predictions of_class(const Predictions& all, int cls) {
  std::vector<Rows> out;
  PredictionBlock block;
  for (int s = 0; s < all.samples(); ++s) {
    std::vector<double> p(all.items());
    each_rows(all.items(), [&](std::int64_t begin, std::int64_t end) {
      all.read_sample(s, begin, end, block);
      // Rows may miss a sum of 1, and logits a little of 1.
      for (std::int64_t i = begin; i < end; ++i)
        p[i] = std::clamp(block.z[(i - begin) * block.width + cls], 0.0, 1.0);
    });
    out.emplace_back(array_of(std::move(p), {all.items()}, all.sources()[s].name()));
  }
  return Predictions(std::move(out), Scale::probability);
}

Votes votes_for(const Votes& all, int cls) {
  if (all.rows().empty()) return {};
  const std::string& name = all.rows().name();
  const auto own = static_cast<std::uint32_t>(cls);
  if (all.raters() > 0) {
    Judgements every;
    all.read_judgements(0, all.items(), every);
    for (std::uint32_t& c : every.cls) c = c == own ? 1 : 0;
    std::vector<std::string> names;
    for (int r = 0; r < all.raters(); ++r) names.push_back(all.rater_name(r));
    return Votes::from_judgements(std::move(every), 2, std::move(names), name);
  }
  const bool labels = all.kind() == Votes::Kind::labels;
  std::vector<std::int64_t> out(labels ? all.items() : 2 * all.items());
  VoteBlock block;
  each_rows(all.items(), [&](std::int64_t begin, std::int64_t end) {
    all.read(begin, end, block);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t hits = block.hits(i - begin, own);
      if (labels) {
        out[i] = hits;
      } else {
        out[2 * i] = block.votes(i - begin) - hits;
        out[2 * i + 1] = hits;
      }
    }
  });
  if (labels) return Votes::from_labels(Rows(array_of(std::move(out), {all.items()}, name)), 2);
  return Votes::from_counts(Rows(array_of(std::move(out), {all.items(), 2}, name)), 2);
}

}  // namespace

Items one_vs_rest(const Items& items, int cls) {
  if (items.binary())
    throw InputError(
        "one class against the rest is for three classes or more; with two, class 1 is already against class 0");
  if (cls < 0 || cls >= items.classes())
    throw InputError("one class against the rest: class " + std::to_string(cls) +
                     " does not exist; classes are 0 to " + std::to_string(items.classes() - 1));
  Items out;
  out.predictions = of_class(items.predictions, cls);
  out.votes = votes_for(items.votes, cls);
  out.weights = items.weights;
  out.concentration = items.concentration;
  out.groups = items.groups;
  out.by = items.by;
  const std::string name = items.class_names.empty() ? std::to_string(cls) : items.class_names[cls];
  out.class_names = {"not " + name, name};
  return out;
}

}  // namespace plumb
