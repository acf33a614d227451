// Calibrators: plumb.fit and plumb.Model.
#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "options.hpp"
#include "plumb/calibrate/cross_fit.hpp"
#include "plumb/calibrate/fit_model.hpp"
#include "plumb/calibrate/regression/cross_fit.hpp"
#include "plumb/data/check.hpp"
#include "plumb/plumb.hpp"
#include "results.hpp"
#include "run.hpp"

namespace plumb::python {
namespace {

/// Rows in double, and their shape.
std::pair<std::vector<double>, std::vector<std::int64_t>> numbers(const Rows& rows) {
  std::vector<std::int64_t> shape{rows.rows()};
  if (rows.rank() > 1) shape.push_back(rows.width());
  std::vector<double> out(rows.rows() * rows.width());
  rows.read(0, rows.rows(), out);
  return {std::move(out), std::move(shape)};
}

Model fit_items(const std::string& method, nb::dict columns, nb::dict keywords, const Model* after) {
  Arguments arguments(std::move(columns));
  const ItemColumns read = item_columns(arguments);
  const Data features = arguments.data("features");
  FitOptions options = fit_options(Keywords(std::move(keywords)));
  return run(true, arguments.object("progress"), [&](const Hooks& hooks) {
    options.progress = hooks.progress;
    options.cancel = hooks.cancel;
    options.features = features.rows("features");
    const Items items = make_items(read);
    return after == nullptr ? fit(method, items, options) : fit_after(*after, method, items, options);
  });
}

Model fit_regression(const std::string& method, nb::dict columns, nb::dict keywords) {
  Arguments arguments(std::move(columns));
  const RegressionColumns read = regression_columns(arguments);
  const RegressionFitOptions options = regression_fit_options(Keywords(std::move(keywords)));
  return run(true, nb::none(), [&](const Hooks&) {
    const RegressionItems items = make_regression_items(read);
    return method == "auto" ? Model(fit_regression_auto(items, options)) : fit(method, items, options);
  });
}

/// Out-of-fold probabilities, N x K or N of class 1.
nb::object cross_fit_items(const std::string& method, nb::dict columns, nb::dict keywords, const Model* after,
                           int folds) {
  Arguments arguments(std::move(columns));
  const ItemColumns read = item_columns(arguments);
  const Data features = arguments.data("features");
  FitOptions options = fit_options(Keywords(std::move(keywords)));
  std::int64_t rows = 0;
  std::vector<double> z = run(true, arguments.object("progress"), [&](const Hooks& hooks) {
    options.progress = hooks.progress;
    options.cancel = hooks.cancel;
    options.features = features.rows("features");
    Items items = make_items(read);
    rows = items.size();
    if (after != nullptr) items = fit_model(method, items, options, &after->parts()).items;
    return cross_fit(method, items, options, folds);
  });
  const std::int64_t width = std::ssize(z) / std::max<std::int64_t>(1, rows);
  return numpy_array(std::move(z), width == 1 ? std::vector{rows} : std::vector{rows, width});
}

/// Out-of-fold variances, N or N x d.
nb::object cross_fit_regression(const std::string& method, nb::dict columns, nb::dict keywords, int folds) {
  Arguments arguments(std::move(columns));
  const RegressionColumns read = regression_columns(arguments);
  const RegressionFitOptions options = regression_fit_options(Keywords(std::move(keywords)));
  std::vector<std::int64_t> shape;
  std::vector<double> out = run(true, nb::none(), [&](const Hooks&) {
    const RegressionItems items = make_regression_items(read);
    shape = {items.size()};
    if (items.outputs() > 1) shape.push_back(items.outputs());
    return cross_fit_variances(method, items, options, folds);
  });
  return numpy_array(std::move(out), shape);
}

/// Two columns where two came in.
void widen(std::pair<std::vector<double>, std::vector<std::int64_t>>& probs,
           std::vector<std::int64_t> shape) {
  if (shape.size() == probs.second.size()) return;
  std::vector<double> pairs;
  pairs.reserve(2 * probs.first.size());
  for (const double p : probs.first) {
    pairs.push_back(1 - p);
    pairs.push_back(p);
  }
  probs = {std::move(pairs), std::move(shape)};
}

/// The probability that two raters disagree, for each item.
nb::object disagreement_of(const Model& model, nb::dict columns) {
  Arguments arguments(std::move(columns));
  const ItemColumns read = item_columns(arguments);
  const Data features = arguments.data("features");
  std::vector<double> out;
  {
    const nb::gil_scoped_release without_lock;
    ApplyOptions options;
    options.features = features.rows("features");
    options.disagreement = true;
    apply_model(model.parts(), make_items(read).predictions, options, [&](const CalibratedChunk& c) {
      out.insert(out.end(), c.disagreement.begin(), c.disagreement.end());
    });
  }
  const std::int64_t n = std::ssize(out);
  return numpy_array(std::move(out), {n});
}

/// Calibrated probabilities in the shape of what came in, and alpha_0 where the model gives one.
nb::object apply_items(const Model& model, nb::dict columns) {
  Arguments arguments(std::move(columns));
  const ItemColumns read = item_columns(arguments);
  const Data features = arguments.data("features");
  std::pair<std::vector<double>, std::vector<std::int64_t>> probs, alpha;
  {
    const nb::gil_scoped_release without_lock;
    ApplyOptions options;
    options.features = features.rows("features");
    const Items items = make_items(read);
    const Items out = model.apply(items, options);
    probs.first = probabilities(out);
    probs.second = {items.size()};
    if (!items.binary()) probs.second.push_back(items.classes());
    widen(probs, calibrated_shape(items.predictions));
    if (!out.concentration.empty()) alpha = numbers(out.concentration.front());
  }
  nb::object p = numpy_array(std::move(probs.first), probs.second);
  if (alpha.second.empty()) return nb::make_tuple(p, nb::none());
  return nb::make_tuple(p, numpy_array(std::move(alpha.first), alpha.second));
}

nb::object apply_regression(const Model& model, nb::dict columns) {
  Arguments arguments(std::move(columns));
  const RegressionItems items = make_regression_items(regression_columns(arguments));
  std::vector<double> out;
  {
    const nb::gil_scoped_release without_lock;
    out = model.variances(items);
  }
  std::vector<std::int64_t> shape{items.size()};
  if (items.outputs() > 1) shape.push_back(items.outputs());
  return numpy_array(std::move(out), shape);
}

nb::object intervals(const Model& model, nb::dict columns, double level) {
  Arguments arguments(std::move(columns));
  const RegressionItems items = make_regression_items(regression_columns(arguments));
  Intervals out;
  {
    const nb::gil_scoped_release without_lock;
    out = model.intervals(items, level);
  }
  std::vector<std::int64_t> shape{items.size()};
  if (items.outputs() > 1) shape.push_back(items.outputs());
  return nb::make_tuple(numpy_array(std::move(out.low), shape), numpy_array(std::move(out.high), shape));
}

nb::list calibrator_rows() {
  nb::list out;
  for (const CalibratorRow& row : calibrators()) {
    nb::dict d;
    d["method"] = nb::str(row.method.data(), row.method.size());
    d["line"] = nb::str(row.line.data(), row.line.size());
    d["task"] = row.tasks == Tasks::binary ? "binary" : row.tasks == Tasks::multiclass ? "multiclass" : "any";
    out.append(d);
  }
  for (const RegressionCalibratorRow& row : regression_calibrators()) {
    nb::dict d;
    d["method"] = nb::str(row.method.data(), row.method.size());
    d["line"] = nb::str(row.line.data(), row.line.size());
    d["task"] = "regression";
    out.append(d);
  }
  return out;
}

}  // namespace

void bind_models(nb::module_& m) {
  const auto bytes = [](const std::string& s) { return nb::bytes(s.data(), s.size()); };
  nb::class_<Model>(m, "Model")
      .def("apply", &apply_items)
      .def("disagreement", &disagreement_of)
      .def("apply_regression", &apply_regression)
      .def("intervals", &intervals)
      .def("save", &Model::save)
      .def("to_bytes", [bytes](const Model& self) { return bytes(self.to_bytes()); })
      .def("to_onnx", [bytes](const Model& self) { return bytes(self.to_onnx()); })
      .def_static("from_bytes",
                  [](const nb::bytes& b) {
                    return Model::from_bytes({b.c_str(), b.size()});
                  })
      .def_static("load", [](const std::string& path) { return load(path); });
  m.def("fit", &fit_items, nb::arg("method"), nb::arg("columns"), nb::arg("options"),
        nb::arg("after").none());
  m.def("fit_regression", &fit_regression, nb::arg("method"), nb::arg("columns"), nb::arg("options"));
  m.def("cross_fit", &cross_fit_items, nb::arg("method"), nb::arg("columns"), nb::arg("options"),
        nb::arg("after").none(), nb::arg("folds"));
  m.def("cross_fit_regression", &cross_fit_regression, nb::arg("method"), nb::arg("columns"),
        nb::arg("options"), nb::arg("folds"));
  m.def("calibrators", &calibrator_rows);
  bind_guarantees(m);
}

}  // namespace plumb::python
