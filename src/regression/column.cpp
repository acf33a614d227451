#include "plumb/regression/column.hpp"

#include <algorithm>
#include <set>

#include "plumb/data/check.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/resample/resample.hpp"

namespace plumb {
namespace {

/// A column by which messages call it.
struct Given {
  const char* flag;
  const Rows* rows;
};

std::vector<Given> spreads(const RegressionItems& items) {
  std::vector<Given> out;
  if (!items.total.empty()) out.push_back({items.total_is_std ? "--std" : "--variance", &items.total});
  for (const Rows& r : items.aleatoric)
    out.push_back({items.passes() > 1 ? "--variance-samples" : "--aleatoric", &r});
  if (!items.epistemic.empty()) out.push_back({"--epistemic", &items.epistemic});
  return out;
}

const Rows& first(const RegressionItems& items) {
  static const Rows kNothing;
  if (!items.errors.empty()) return items.errors;
  if (!items.mean.empty()) return items.mean.front();
  const auto s = spreads(items);
  return s.empty() ? kNothing : *s.front().rows;
}

void check_matrix(const Given& given) {
  if (given.rows->is_text())
    throw InputError(given.rows->name() + ": " + given.flag + " takes numbers, not text");
  if (given.rows->rank() > 2)
    throw InputError(given.rows->name() + ": " + given.flag +
                     " takes N or N x d numbers, not an array of rank " + std::to_string(given.rows->rank()));
}

void check_kinds(const RegressionItems& items, bool with_errors) {
  const bool passes = items.passes() > 1;
  if (!items.errors.empty() && (!items.mean.empty() || !items.targets.empty()))
    throw InputError("--errors stands for target minus mean; leave out --mean, --mean-samples and --targets");
  if (with_errors && !items.has_errors()) {
    if (!items.mean.empty())
      throw InputError("what was observed? Give it with --targets (see plumb evaluate --help)");
    throw InputError(
        "what was predicted? Give --mean and --targets, or --errors (see plumb evaluate --help)");
  }
  if (!items.total.empty() && (!items.aleatoric.empty() || !items.epistemic.empty()))
    throw InputError(
        "--variance and --std are the total; leave out --aleatoric, --epistemic and --variance-samples, "
        "or the total");
  if (!items.total.empty() && passes)
    throw InputError(
        "with --mean-samples the total variance follows from the passes; give --variance-samples or "
        "--aleatoric instead of --variance or --std");
  if (passes && !items.epistemic.empty())
    throw InputError(
        "with --mean-samples the epistemic variance is that of the passes; leave out --epistemic");
  if (!passes && items.total.empty() && items.aleatoric.empty() && items.epistemic.empty())
    throw InputError("how sure was the model? Give --variance, --std, or --aleatoric and --epistemic");
  if (items.aleatoric.size() > 1 && items.aleatoric.size() != items.mean.size())
    throw InputError(
        "--variance-samples has " + counted(static_cast<std::int64_t>(items.aleatoric.size()), "pass") +
        " but --mean-samples " + std::to_string(items.mean.size()) + "; give one variance for each pass");
}

}  // namespace

std::int64_t RegressionItems::size() const { return first(*this).rows(); }

int RegressionItems::outputs() const {
  if (!errors.empty() || !mean.empty()) return static_cast<int>(first(*this).width());
  std::int64_t width = 1;
  for (const Given& g : spreads(*this)) width = std::max(width, g.rows->width());
  return static_cast<int>(width);
}

RegressionItems RegressionItems::gather(std::span<const std::int64_t> rows) const {
  RegressionItems out;
  for (const Rows& r : mean) out.mean.push_back(r.gather(rows));
  for (const Rows& r : aleatoric) out.aleatoric.push_back(r.gather(rows));
  const auto take = [&](const Rows& from, Rows& to) {
    if (!from.empty()) to = from.gather(rows);
  };
  take(targets, out.targets);
  take(errors, out.errors);
  take(total, out.total);
  take(epistemic, out.epistemic);
  take(weights, out.weights);
  out.total_is_std = total_is_std;
  if (!groups.empty()) out.groups = groups.gather(rows);
  if (!by.empty()) out.by = by.gather(rows);
  return out;
}

void check_regression(const RegressionItems& items, bool with_errors) {
  check_kinds(items, with_errors);
  const std::int64_t n = items.size(), d = items.outputs();
  const std::string what = first(items).name();
  std::vector<Given> exact;  // as wide as the outputs are
  if (!items.errors.empty()) exact.push_back({"--errors", &items.errors});
  for (const Rows& r : items.mean) exact.push_back({items.passes() > 1 ? "--mean-samples" : "--mean", &r});
  if (!items.targets.empty()) exact.push_back({"--targets", &items.targets});
  for (const Given& g : exact) {
    check_matrix(g);
    check_same_rows(what, n, g.rows->name(), g.rows->rows());
    if (g.rows->width() != d)
      throw InputError(g.rows->name() + ": " + g.flag + " has " + counted(g.rows->width(), "output") +
                       " but " + what + " has " + std::to_string(d) + "; give N x d arrays of one width");
  }
  for (const Given& g : spreads(items)) {
    check_matrix(g);
    check_same_rows(what, n, g.rows->name(), g.rows->rows());
    if (g.rows->width() != d && g.rows->width() != 1)
      throw InputError(g.rows->name() + ": " + g.flag + " has " + counted(g.rows->width(), "output") +
                       " but " + what + " has " + std::to_string(d) +
                       "; give one variance for each output, or one for all");
  }
  if (!items.weights.empty()) {
    check_same_rows(what, n, items.weights.name(), items.weights.rows());
    if (items.weights.width() != 1)
      throw InputError(items.weights.name() + ": --weights takes one number an item");
  }
  if (!items.groups.empty()) check_same_rows(what, n, items.groups.source(), items.groups.size());
  if (!items.by.empty()) check_same_rows(what, n, items.by.source(), items.by.size());
}

std::int64_t block_rows(const RegressionItems& items) {
  constexpr std::int64_t kEntries = 4096;
  return std::max<std::int64_t>(1, kEntries / std::max(1, items.outputs()));
}

std::vector<std::uint64_t> regression_units(const RegressionItems& items) {
  std::vector<std::uint64_t> out(static_cast<std::size_t>(items.size()));
  std::vector<std::uint64_t> hash;
  for (const std::string& name : items.groups.distinct()) hash.push_back(hash_name(name));
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = hash.empty() ? i : hash[items.groups.code(static_cast<std::int64_t>(i))];
  return out;
}

std::int64_t drawable_units(const RegressionItems& items) {
  std::set<std::uint64_t> found;
  const std::vector<std::uint64_t> units = regression_units(items);
  double weight = 1;
  for (std::int64_t i = 0; i < items.size(); ++i) {
    if (!items.weights.empty()) items.weights.read(i, i + 1, {&weight, 1});
    if (weight > 0) found.insert(units[static_cast<std::size_t>(i)]);
    if (static_cast<std::int64_t>(found.size()) == kEnoughUnits) break;
  }
  return static_cast<std::int64_t>(found.size());
}

}  // namespace plumb
