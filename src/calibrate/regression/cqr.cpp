#include "plumb/calibrate/regression/cqr.hpp"

#include <algorithm>
#include <cmath>

#include "plumb/data/check.hpp"

namespace plumb {
namespace {

constexpr std::int64_t kCqrBlock = 4096;

struct CqrPart {
  std::string name;
  std::vector<std::vector<double>> scores;  // by pair
};

/// The rank among n scores of the one that bounds the next with probability `level`; above n: too few.
std::int64_t cqr_rank(double level, std::int64_t n) {
  // The tolerance keeps 0.9 * 10 at 9: a level is a decimal number that binary cannot hold.
  return std::max<std::int64_t>(
      static_cast<std::int64_t>(std::ceil(level * static_cast<double>(n + 1) - 1e-9)), 1);
}

std::int64_t needed_for(double level) {
  std::int64_t n = 1;
  while (cqr_rank(level, n) > n) ++n;
  return n;
}

const Step& cqr_step(const CalibrationModel& model) { return model.steps.front(); }

void check_finite_row(const QuantileItems& items, std::int64_t row, std::span<const double> q) {
  for (std::size_t l = 0; l < q.size(); ++l)
    if (!std::isfinite(q[l]))
      throw InputError(items.quantiles.where(row) + ", column " + std::to_string(l) + ", is " + show(q[l]) +
                       "; quantiles must be finite numbers");
}

}  // namespace

CalibrationModel fit_cqr(const QuantileItems& items, const Names& within) {
  check_quantiles(items);
  if (!items.weights.empty())
    throw InputError("conformal intervals need exchangeable items; leave out ⟦weights⟧");
  if (!within.empty()) check_same_rows(items.quantiles.name(), items.size(), within.source(), within.size());
  const std::vector<CentralPair> pairs = central_pairs(items.levels);
  if (pairs.empty())
    throw InputError(
        "there is no central interval to calibrate; give quantiles at two levels that add up to 1, such as 0.05 and 0.95");
  std::vector<CqrPart> parts;
  if (within.empty()) parts.push_back({"", {}});
  for (const std::string& name : within.distinct()) parts.push_back({name, {}});
  for (CqrPart& part : parts) part.scores.resize(pairs.size());
  std::vector<double> q, y;
  for (std::int64_t begin = 0; begin < items.size(); begin += kCqrBlock) {
    const std::int64_t end = std::min(items.size(), begin + kCqrBlock);
    q.resize((end - begin) * items.levels.size());
    y.resize(end - begin);
    items.quantiles.read(begin, end, q);
    items.targets.read(begin, end, y);
    for (std::int64_t i = begin; i < end; ++i) {
      const auto row = std::span(q).subspan((i - begin) * items.levels.size(), items.levels.size());
      check_finite_row(items, i, row);
      if (!std::isfinite(y[i - begin]))
        throw InputError(items.targets.where(i) + " is " + show(y[i - begin]) +
                         "; targets must be finite numbers");
      CqrPart& part = parts[within.empty() ? 0 : within.code(i)];
      for (std::size_t p = 0; p < pairs.size(); ++p)
        part.scores[p].push_back(
            std::max(row[pairs[p].low] - y[i - begin], y[i - begin] - row[pairs[p].high]));
    }
  }
  std::vector<double> shift;
  for (CqrPart& part : parts)
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      std::vector<double>& scores = part.scores[p];
      const std::int64_t rank = cqr_rank(pairs[p].level, std::ssize(scores));
      if (rank > std::ssize(scores))
        throw InputError((part.name.empty() ? "there are " : "category \"" + part.name + "\" has ") +
                         counted(std::ssize(scores), "item") + ", too few for intervals of level " +
                         show(pairs[p].level) + "; at least " + std::to_string(needed_for(pairs[p].level)) +
                         " are needed");
      std::nth_element(scores.begin(), scores.begin() + (rank - 1), scores.end());
      shift.push_back(scores[rank - 1]);
    }
  CalibrationModel model;
  model.task = "regression";
  model.input = "quantiles";
  model.version = version();
  Step step{"cqr"};
  step.add_parameter("level", items.levels);
  step.add_parameter("shift", {std::ssize(parts), std::ssize(pairs)}, std::move(shift));
  step.fit.items = items.size();
  step.fit.votes = items.size();
  if (!within.empty()) step.fit.options.emplace_back("within", within.distinct());
  if (!items.groups.empty())
    step.fit.warnings.push_back(
        "Items of one group are not exchangeable with those of another; coverage of new groups may be lower.");
  model.steps.push_back(std::move(step));
  return model;
}

bool is_cqr(const CalibrationModel& model) {
  return model.steps.size() == 1 && cqr_step(model).method == "cqr";
}

std::vector<double> cqr_levels(const CalibrationModel& model) {
  const auto level = vector_parameter(cqr_step(model), "level");
  for (std::size_t l = 0; l < level.size(); ++l)
    if (!(level[l] > 0 && level[l] < 1) || (l > 0 && !(level[l] > level[l - 1])))
      throw InputError(model.name + ": the levels of its cqr step do not ascend between 0 and 1");
  return {level.begin(), level.end()};
}

std::vector<std::string> cqr_categories(const CalibrationModel& model) {
  for (const auto& [name, value] : cqr_step(model).fit.options)
    if (const auto* names = std::get_if<std::vector<std::string>>(&value);
        name == "within" && names != nullptr)
      return *names;
  return {};
}

void apply_cqr(const CalibrationModel& model, const QuantileItems& items, const Names& within,
               const std::function<void(std::span<const double> rows)>& sink) {
  const std::vector<double> levels = cqr_levels(model);
  const std::vector<std::string> categories = cqr_categories(model);
  const std::vector<CentralPair> pairs = central_pairs(levels);
  const std::int64_t parts = std::max<std::int64_t>(std::ssize(categories), 1);
  const auto shift = parameter(cqr_step(model), "shift", {parts, std::ssize(pairs)});
  check_quantiles(items, false);
  if (items.levels != levels)
    throw InputError(model.name + " was fitted on other ⟦quantile_levels⟧ than were given");
  if (categories.empty() != within.empty())
    throw InputError(categories.empty() ? model.name + " was fitted without categories; leave out ⟦within⟧"
                                        : model.name + " was fitted by category; give ⟦within⟧");
  if (!within.empty()) check_same_rows(items.quantiles.name(), items.size(), within.source(), within.size());
  std::vector<std::int64_t> part_of;
  for (const std::string& name : within.distinct()) {
    const auto at = std::find(categories.begin(), categories.end(), name);
    if (at == categories.end())
      throw InputError(within.source() + ": category \"" + name + "\" was not there when " + model.name +
                       " was fitted; fit on items of all categories");
    part_of.push_back(at - categories.begin());
  }
  std::vector<double> q;
  for (std::int64_t begin = 0; begin < items.size(); begin += kCqrBlock) {
    const std::int64_t end = std::min(items.size(), begin + kCqrBlock);
    q.resize((end - begin) * levels.size());
    items.quantiles.read(begin, end, q);
    for (std::int64_t i = begin; i < end; ++i) {
      const auto row = std::span(q).subspan((i - begin) * levels.size(), levels.size());
      check_finite_row(items, i, row);
      const std::int64_t part = within.empty() ? 0 : part_of[within.code(i)];
      for (std::size_t p = 0; p < pairs.size(); ++p) {
        row[pairs[p].low] -= shift[part * std::ssize(pairs) + p];
        row[pairs[p].high] += shift[part * std::ssize(pairs) + p];
      }
    }
    sink(q);
  }
}

}  // namespace plumb
