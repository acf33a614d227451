#include "plumb/regression/column.hpp"

#include <algorithm>
#include <set>

#include "plumb/data/check.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/resample/resample.hpp"

namespace plumb {
namespace {

struct Given {
  const char* option;
  const Rows* rows;
  bool spread;  ///< a variance, of which one may serve all outputs
};

std::vector<Given> given(const RegressionItems& items) {
  std::vector<Given> out;
  const auto add = [&](const char* option, const Rows& rows, bool spread) {
    if (!rows.empty()) out.push_back({option, &rows, spread});
  };
  const bool passes = items.passes() > 1;
  add("⟦errors⟧", items.errors, false);
  for (const Rows& r : items.mean) add(passes ? "⟦mean_samples⟧" : "⟦mean⟧", r, false);
  add("⟦targets⟧", items.targets, false);
  add(items.total_is_std ? "⟦std⟧" : "⟦variance⟧", items.total, true);
  for (const Rows& r : items.aleatoric) add(passes ? "⟦variance_samples⟧" : "⟦aleatoric⟧", r, true);
  add("⟦epistemic⟧", items.epistemic, true);
  return out;
}

/// The column that tells how many items there are.
const Rows& first(const RegressionItems& items) {
  if (!items.errors.empty()) return items.errors;
  if (!items.mean.empty()) return items.mean.front();
  if (!items.total.empty()) return items.total;
  return items.aleatoric.empty() ? items.epistemic : items.aleatoric.front();
}

void check_matrix(const Given& g) {
  if (g.rows->is_text()) throw InputError(g.rows->name() + ": " + g.option + " takes numbers, not text");
  if (g.rows->rank() > 2)
    throw InputError(g.rows->name() + ": " + g.option + " takes N or N x d numbers, not an array of rank " +
                     std::to_string(g.rows->rank()));
}

void check_kinds(const RegressionItems& items, bool with_errors) {
  const bool passes = items.passes() > 1;
  if (!items.errors.empty() && (!items.mean.empty() || !items.targets.empty()))
    throw InputError("⟦errors⟧ means target minus mean; leave out ⟦mean⟧, ⟦mean_samples⟧ and ⟦targets⟧");
  if (with_errors && !items.has_errors()) {
    if (!items.mean.empty()) throw InputError("no targets given; use ⟦targets⟧ (see plumb evaluate ⟦help⟧)");
    throw InputError(
        "no predictions given; use ⟦mean⟧ and ⟦targets⟧, or ⟦errors⟧ (see plumb evaluate ⟦help⟧)");
  }
  if (!items.total.empty() && (!items.aleatoric.empty() || !items.epistemic.empty()))
    throw InputError(
        "⟦variance⟧ and ⟦std⟧ are the total variance; leave out ⟦aleatoric⟧, ⟦epistemic⟧ and ⟦variance_samples⟧, or these");
  if (!items.total.empty() && passes)
    throw InputError(
        "with ⟦mean_samples⟧ the total variance follows from the passes; give ⟦variance_samples⟧ or ⟦aleatoric⟧ instead of ⟦variance⟧ or ⟦std⟧");
  if (passes && !items.epistemic.empty())
    throw InputError(
        "with ⟦mean_samples⟧ the epistemic variance is that of the passes; leave out ⟦epistemic⟧");
  if (!passes && items.total.empty() && items.aleatoric.empty() && items.epistemic.empty())
    throw InputError("no predicted uncertainty given; use ⟦variance⟧, ⟦std⟧, or ⟦aleatoric⟧ and ⟦epistemic⟧");
  if (items.aleatoric.size() > 1 && items.aleatoric.size() != items.mean.size())
    throw InputError("⟦variance_samples⟧ has " + counted(std::ssize(items.aleatoric), "pass") +
                     " but ⟦mean_samples⟧ " + std::to_string(items.mean.size()) +
                     "; give one variance for each pass");
}

}  // namespace

std::int64_t RegressionItems::size() const { return first(*this).rows(); }

int RegressionItems::outputs() const {
  if (!errors.empty() || !mean.empty()) return narrow<int>(first(*this).width());
  std::int64_t width = 1;
  for (const Given& g : given(*this))
    if (g.spread) width = std::max(width, g.rows->width());
  return narrow<int>(width);
}

RegressionItems RegressionItems::gather(std::span<const std::int64_t> rows) const {
  RegressionItems out;
  const auto take = [&](auto member) {
    if (!(this->*member).empty()) out.*member = (this->*member).gather(rows);
  };
  for (const Rows& r : mean) out.mean.push_back(r.gather(rows));
  for (const Rows& r : aleatoric) out.aleatoric.push_back(r.gather(rows));
  for (const auto member : {&RegressionItems::targets, &RegressionItems::errors, &RegressionItems::total,
                            &RegressionItems::epistemic, &RegressionItems::weights})
    take(member);
  take(&RegressionItems::groups);
  for (const Names& b : by) out.by.push_back(b.gather(rows));
  out.total_is_std = total_is_std;
  return out;
}

void check_regression(const RegressionItems& items, bool with_errors) {
  check_kinds(items, with_errors);
  const std::int64_t n = items.size(), d = items.outputs();
  const std::string what = first(items).name();
  for (const Given& g : given(items)) {
    check_matrix(g);
    check_same_rows(what, n, g.rows->name(), g.rows->rows());
    const std::int64_t width = g.rows->width();
    if (width != d && !(g.spread && width == 1))
      throw InputError(g.rows->name() + ": " + g.option + " has " + counted(width, "output") + " but " +
                       what + " has " + std::to_string(d) +
                       (g.spread ? "; give one variance for each output, or one for all"
                                 : "; give N x d arrays with the same number of columns"));
  }
  if (!items.weights.empty()) {
    check_same_rows(what, n, items.weights.name(), items.weights.rows());
    if (items.weights.width() != 1)
      throw InputError(items.weights.name() + ": ⟦weights⟧ takes one number per item");
  }
  if (!items.groups.empty()) check_same_rows(what, n, items.groups.source(), items.groups.size());
  for (const Names& by : items.by) check_same_rows(what, n, by.source(), by.size());
}

std::int64_t block_rows(const RegressionItems& items) {
  constexpr std::int64_t kEntries = 4096;
  return std::max<std::int64_t>(1, kEntries / std::max(1, items.outputs()));
}

std::vector<std::uint64_t> regression_units(const RegressionItems& items) {
  std::vector<std::uint64_t> out(items.size());
  std::vector<std::uint64_t> hash;
  for (const std::string& name : items.groups.distinct()) hash.push_back(hash_name(name));
  for (std::int64_t i = 0; i < items.size(); ++i) out[i] = hash.empty() ? i : hash[items.groups.code(i)];
  return out;
}

std::int64_t drawable_units(const RegressionItems& items) {
  std::set<std::uint64_t> found;
  const std::vector<std::uint64_t> units = regression_units(items);
  double weight = 1;
  for (std::int64_t i = 0; i < items.size() && std::ssize(found) < kEnoughUnits; ++i) {
    if (!items.weights.empty()) items.weights.read(i, i + 1, {&weight, 1});
    if (weight > 0) found.insert(units[i]);
  }
  return std::ssize(found);
}

}  // namespace plumb
