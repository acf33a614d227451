// One number at a time, with little around it: plumb.metrics.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "options.hpp"
#include "plumb/plumb.hpp"
#include "results.hpp"
#include "run.hpp"

namespace plumb::python {
namespace {

constexpr std::int64_t kLongWork = 1'000'000;
constexpr std::array<std::string_view, 16> kItemKeywords{
    "logits",      "samples",       "sample_logits", "normalize", "counts", "ratings",
    "annotations", "duplicates",    "ids",           "weights",   "truth",  "groups",
    "classes",     "concentration", "probs",         "labels"};
constexpr std::array<std::string_view, 11> kOptionKeywords{"bins",    "binning", "bootstrap", "seed",
                                                           "threads", "clip",    "bandwidth", "leave_out",
                                                           "curve",   "ties",    "range"};
constexpr std::array<std::string_view, 12> kRegressionKeywords{
    "mean",    "mean_samples", "variance", "std",    "aleatoric", "epistemic", "variance_samples",
    "targets", "errors",       "weights",  "groups", "by"};

template <std::size_t N>
bool among(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void check_keywords(const std::string& key, const nb::dict& given, bool regression) {
  for (const auto& [name, value] : given) {
    const auto text = nb::cast<std::string>(name);
    const bool known = among(kOptionKeywords, text) ||
                       (regression ? among(kRegressionKeywords, text) : among(kItemKeywords, text));
    if (!known) throw nb::type_error((key + "() has no argument " + text + "=").c_str());
  }
}

double value_of(const Result& result, const std::string& key) {
  const MetricResult& m = result[key];
  if (m.value) return *m.value;
  throw InputError(key + " is undefined: " + m.why);
}

/// `more`: further arguments by keyword, often none.
double metric(const std::string& key, nb::handle probs, nb::handle labels, nb::dict more) {
  const bool plain = more.size() == 0;
  Arguments arguments(more);
  ItemColumns columns;
  EvaluateOptions options;
  if (!plain) {
    check_keywords(key, more, false);
    columns = item_columns(arguments);
    options = evaluate_options(Keywords(more));
  }
  if (!probs.is_none()) columns.probs = arguments.data("probs", probs);
  if (!labels.is_none()) columns.labels = arguments.data("labels", labels, Holds::classes);
  options.metrics = {key};
  options.consensus = false;
  const bool is_long = options.bootstrap > 0 || arguments.elements() > kLongWork;
  return run(is_long, nb::none(), [&](const Hooks& hooks) {
    options.cancel = hooks.cancel;
    return value_of(evaluate(make_items(columns), options), key);
  });
}

double regression_metric(const std::string& key, nb::dict given) {
  check_keywords(key, given, true);
  Arguments arguments(given);
  const RegressionColumns columns = regression_columns(arguments);
  RegressionOptions options = regression_options(Keywords(given));
  options.metrics = {key};
  const bool is_long = options.bootstrap > 0 || arguments.elements() > kLongWork;
  return run(is_long, nb::none(), [&](const Hooks& hooks) {
    options.cancel = hooks.cancel;
    return value_of(evaluate(make_regression_items(columns), options), key);
  });
}

const char* better_name(Better better) {
  switch (better) {
    case Better::lower:
      return "lower";
    case Better::higher:
      return "higher";
    case Better::zero:
      return "zero";
    case Better::one:
      return "one";
    default:
      return "neither";
  }
}

nb::list rows_of(std::span<const MetricRow> rows) {
  nb::list out;
  for (const MetricRow& row : rows) {
    nb::dict d;
    d["key"] = nb::str(row.key.data(), row.key.size());
    d["line"] = nb::str(row.line.data(), row.line.size());
    d["task"] = row.task == Task::binary       ? "binary"
                : row.task == Task::multiclass ? "multiclass"
                : row.task == Task::regression ? "regression"
                                               : "any";
    d["needs"] = row.needs == Needs::votes ? "votes" : row.needs == Needs::pairs ? "pairs" : "truth";
    d["better"] = better_name(row.better);
    d["low"] = row.low;
    d["high"] = row.high;
    d["cost"] = row.cost == Cost::linear ? "linear" : row.cost == Cost::sort ? "sort" : "quadratic";
    d["streaming"] = row.room == Room::streaming;
    out.append(d);
  }
  return out;
}

nb::list aliases() {
  nb::list out;
  for (const KeyAlias& a : kAliases)
    out.append(nb::make_tuple(nb::str(a.alias.data(), a.alias.size()), nb::str(a.key.data(), a.key.size())));
  return out;
}

}  // namespace

void bind_metrics(nb::module_& m) {
  m.def("metric", &metric, nb::arg("key"), nb::arg("probs").none(), nb::arg("labels").none(),
        nb::arg("more"));
  m.def("regression_metric", &regression_metric, nb::arg("key"), nb::arg("given"));
  m.def("registry", [] { return rows_of(metrics()); });
  m.def("regression_registry", [] { return rows_of(regression_metrics()); });
  m.def("aliases", &aliases);
}

}  // namespace plumb::python
