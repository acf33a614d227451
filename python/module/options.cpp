#include "options.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>

#include "plumb/data/available_memory.hpp"
#include "plumb/data/check.hpp"

namespace plumb::python {
namespace {

[[noreturn]] void refuse_type(const char* name, const char* wanted, nb::handle value) {
  const auto given = nb::cast<std::string>(nb::repr(value));
  throw nb::type_error((std::string(name) + "= takes " + wanted + ", not " + given).c_str());
}

/// Integers of any kind, numpy's too; no bool.
std::int64_t integer(const char* name, nb::handle value) {
  if (PyBool_Check(value.ptr()) || !PyIndex_Check(value.ptr())) refuse_type(name, "a whole number", value);
  const nb::object index = nb::steal(PyNumber_Index(value.ptr()));
  if (!index.is_valid()) nb::raise_python_error();
  int overflow = 0;
  const long long out = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow != 0)
    throw InputError(opt(name) + " " + nb::cast<std::string>(nb::str(value)) + " is out of range");
  return out;
}

int small_integer(const char* name, nb::handle value) {
  const std::int64_t out = integer(name, value);
  if (out > std::numeric_limits<int>::max() || out < -std::numeric_limits<int>::max())
    throw InputError(opt(name) + " " + std::to_string(out) + " is out of range");
  return static_cast<int>(out);
}

double number(const char* name, nb::handle value) {
  if (PyBool_Check(value.ptr()) || PyUnicode_Check(value.ptr())) refuse_type(name, "a number", value);
  const double out = PyFloat_AsDouble(value.ptr());
  if (out == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    refuse_type(name, "a number", value);
  }
  return out;
}

void check_between(const char* name, std::int64_t value, std::int64_t lowest, std::int64_t highest) {
  if (value < lowest || value > highest)
    throw InputError(opt(name) + " must be between " + std::to_string(lowest) + " and " +
                     std::to_string(highest) + ", not " + std::to_string(value));
}

void read_ties(const Keywords& k, Ties& out) {
  k.choice(
      "ties",
      {{"half", Ties::half}, {"absent", Ties::absent}, {"lowest", Ties::lowest}, {"random", Ties::random}},
      out);
}

std::string text(const char* name, nb::handle value) {
  if (!PyUnicode_Check(value.ptr())) refuse_type(name, "text", value);
  return nb::cast<std::string>(value);
}

}  // namespace

nb::object Keywords::value(const char* name) const {
  return given_.contains(name) ? nb::borrow(given_[name]) : nb::none();
}

void Keywords::refuse(const char* name, const std::string& known, const std::string& given) {
  throw InputError(opt(name) + " takes one of " + known + ", not \"" + given + "\"");
}

void Keywords::read(const char* name, int& out) const {
  if (const nb::object v = value(name); !v.is_none()) out = small_integer(name, v);
}
void Keywords::read(const char* name, std::int64_t& out) const {
  if (const nb::object v = value(name); !v.is_none()) out = integer(name, v);
}
void Keywords::read(const char* name, double& out) const {
  if (const nb::object v = value(name); !v.is_none()) out = number(name, v);
}
void Keywords::read(const char* name, bool& out) const {
  const nb::object v = value(name);
  if (v.is_none()) return;
  const int truth = PyObject_IsTrue(v.ptr());
  if (truth < 0) nb::raise_python_error();
  out = truth == 1;
}
void Keywords::read(const char* name, std::uint64_t& out) const {
  const nb::object v = value(name);
  if (v.is_none()) return;
  if (PyBool_Check(v.ptr()) || !PyIndex_Check(v.ptr())) refuse_type(name, "a whole number", v);
  const nb::object index = nb::steal(PyNumber_Index(v.ptr()));
  out = PyLong_AsUnsignedLongLong(index.ptr());
  if (PyErr_Occurred() == nullptr) return;
  PyErr_Clear();
  throw InputError(opt(name) + " takes a whole number from 0 to 18446744073709551615, not " +
                   nb::cast<std::string>(nb::str(v)));
}
void Keywords::read(const char* name, std::string& out) const {
  if (const nb::object v = value(name); !v.is_none()) out = text(name, v);
}
void Keywords::read(const char* name, std::vector<std::string>& out) const {
  const nb::object v = value(name);
  if (v.is_none()) return;
  out.clear();
  if (PyUnicode_Check(v.ptr())) {
    out.push_back(text(name, v));
    return;
  }
  for (const nb::handle one : v) out.push_back(text(name, one));
}
void Keywords::read(const char* name, std::vector<double>& out) const {
  const nb::object v = value(name);
  if (v.is_none()) return;
  out.clear();
  for (const nb::handle one : v) out.push_back(number(name, one));
}
void Keywords::read(const char* name, std::vector<int>& out) const {
  const nb::object v = value(name);
  if (v.is_none()) return;
  out.clear();
  if (PyIndex_Check(v.ptr())) {
    out.push_back(small_integer(name, v));
    return;
  }
  for (const nb::handle one : v) out.push_back(small_integer(name, one));
}
void Keywords::read(const char* name, std::optional<int>& out) const {
  if (const nb::object v = value(name); !v.is_none()) out = small_integer(name, v);
}
void Keywords::read(const char* name, std::optional<std::int64_t>& out) const {
  if (const nb::object v = value(name); !v.is_none()) out = integer(name, v);
}
void Keywords::read(const char* name, std::optional<double>& out) const {
  if (const nb::object v = value(name); !v.is_none()) out = number(name, v);
}

bool Keywords::given(const char* name) const { return !value(name).is_none(); }

bool Keywords::is_text(const char* name) const { return PyUnicode_Check(value(name).ptr()) != 0; }

EvaluateOptions evaluate_options(const Keywords& k) {
  EvaluateOptions o;
  k.read("bins", o.bins);
  k.choice("binning", {{"width", Binning::width}, {"mass", Binning::mass}}, o.binning);
  k.read("metrics", o.metrics);
  k.read("bootstrap", o.bootstrap);
  k.read("level", o.level);
  k.choice("null", {{"model", NullKind::model}, {"signs", NullKind::signs}}, o.null);
  k.read("tolerance", o.tolerance);
  k.read("seed", o.seed);
  k.read("threads", o.threads);
  k.read("clip", o.clip);
  if (k.is_text("bandwidth")) {
    k.choice("bandwidth", {{"auto", BandwidthRule::votes}, {"likelihood", BandwidthRule::likelihood}},
             o.bandwidth_rule);
  } else {
    k.read("bandwidth", o.bandwidth);
  }
  k.choice("curve", {{"loess", CurveKind::loess}, {"rcs", CurveKind::rcs}, {"kernel", CurveKind::kernel}},
           o.curve);
  k.read("thresholds", o.thresholds);
  k.choice("leave_out", {{"vote", LeaveOut::vote}, {"item", LeaveOut::item}}, o.leave_out);
  read_ties(k, o.ties);
  k.read("sample_items", o.sample_items);
  check_bins(o.bins);
  check_threads(o.threads);
  check_level(o.level);
  o.memory = available_memory();
  return o;
}

RegressionOptions regression_options(const Keywords& k) {
  RegressionOptions o;
  k.read("bins", o.bins);
  k.read("metrics", o.metrics);
  k.read("bootstrap", o.bootstrap);
  k.read("level", o.level);
  k.read("tolerance", o.tolerance);
  k.read("seed", o.seed);
  k.read("threads", o.threads);
  k.read("clip", o.clip);
  std::vector<double> range;
  k.read("range", range);
  if (!range.empty()) {
    if (range.size() != 2) throw InputError("⟦range⟧ takes two numbers, the lowest and the highest variance");
    o.range = RegressionRange{range[0], range[1]};
  }
  check_bins(o.bins);
  check_threads(o.threads);
  check_bootstrap(o.bootstrap);
  return o;
}

AuditOptions audit_options(const Keywords& k) {
  AuditOptions o;
  const int replicates = o.evaluate.bootstrap;
  o.evaluate = evaluate_options(k);
  if (!k.given("bootstrap")) o.evaluate.bootstrap = replicates;
  k.read("cross", o.cross);
  check_between("cross", o.cross, 1, 8);
  k.read("min_items", o.min_items);
  k.read("rank", o.rank);
  return o;
}

RatersOptions raters_options(const Keywords& k) {
  RatersOptions o;
  k.read("one_coin", o.one_coin);
  k.read("ordered", o.ordered);
  k.read("prior", o.prior);
  k.read("converged_at", o.converged_at);
  k.read("iterations", o.iterations);
  k.read("ask", o.ask);
  k.read("target_se", o.target_se);
  k.read("bootstrap", o.bootstrap);
  k.read("level", o.level);
  k.read("seed", o.seed);
  k.read("threads", o.threads);
  check_threads(o.threads);
  check_level(o.level);
  return o;
}

QuantileOptions quantile_options(const Keywords& k) {
  QuantileOptions o;
  k.read("bootstrap", o.bootstrap);
  k.read("level", o.level);
  k.read("seed", o.seed);
  k.read("threads", o.threads);
  check_threads(o.threads);
  check_bootstrap(o.bootstrap);
  return o;
}

SetsOptions sets_options(const Keywords& k) {
  SetsOptions o;
  k.read("level", o.level);
  k.read("seed", o.seed);
  read_ties(k, o.ties);
  return o;
}

SetOptions set_options(const Keywords& k) {
  SetOptions o;
  k.choice("set_score", {{"lac", SetScore::lac}, {"aps", SetScore::aps}, {"raps", SetScore::raps}}, o.score);
  k.read("levels", o.levels);
  k.read("penalty", o.lambda);
  if (k.given("penalty") && o.score != SetScore::raps)
    throw InputError("⟦penalty⟧ has no effect on sets of this score; it is for ⟦set_score⟧ raps");
  k.read("by_class", o.by_class);
  k.read("seed", o.seed);
  if (k.given("seed") && !o.by_class)
    throw InputError("⟦seed⟧ has no effect without ⟦by_class⟧; leave it out");
  k.read("threads", o.threads);
  check_threads(o.threads);
  return o;
}

MultigroupOptions multigroup_options(const Keywords& k) {
  MultigroupOptions o;
  k.read("rounds", o.rounds);
  check_between("rounds", o.rounds, 1, 100'000);
  k.read("level", o.level);
  k.read("cross", o.cross);
  check_between("cross", o.cross, 1, 8);
  k.read("seed", o.seed);
  k.read("threads", o.threads);
  check_threads(o.threads);
  return o;
}

UncertaintyOptions uncertainty_options(const Keywords& k) {
  UncertaintyOptions o;
  k.read("measures", o.measures);
  k.read("top", o.top);
  if (o.top != 1 && o.top != 5) throw InputError("⟦top⟧ takes 1 or 5, not " + std::to_string(o.top));
  k.read("bins", o.bins);
  if (o.bins) check_bins(*o.bins);
  k.choice("degenerate",
           {{"pool", Degenerate::pool}, {"jeffreys", Degenerate::jeffreys}, {"error", Degenerate::error}},
           o.degenerate);
  k.read("base_rate", o.base_rate);
  k.read("targets", o.targets);
  k.read("confidence", o.confidence);
  k.read("coarsen", o.coarsen);
  k.read("suspects", o.suspects);
  k.read("suspects_by", o.suspects_by);
  k.read("bootstrap", o.bootstrap);
  k.read("permutations", o.permutations);
  k.read("level", o.level);
  k.read("seed", o.seed);
  k.read("threads", o.threads);
  check_threads(o.threads);
  return o;
}

StabilityOptions stability_options(const Keywords& k) {
  StabilityOptions o;
  k.read("estimators", o.estimators);
  k.read("start", o.from);
  k.read("step", o.step);
  k.read("repeats", o.repeats);
  if (o.repeats < 2 || o.repeats > 100000)
    throw InputError("⟦repeats⟧ must be between 2 and 100000, not " + std::to_string(o.repeats));
  k.choice("subsets", {{"nested", Subsets::nested}, {"independent", Subsets::independent}}, o.subsets);
  o.evaluate = evaluate_options(k);
  return o;
}

FitOptions fit_options(const Keywords& k) {
  FitOptions o;
  k.read("penalty", o.lambda);
  k.read("lambda_b", o.lambda_b);
  k.read("lambda_w", o.lambda_w);
  k.read("tune", o.tune);
  k.read("folds", o.folds);
  k.read("bins", o.bins);
  k.read("prior_votes", o.prior_votes);
  k.read("weight_votes", o.weight_votes);
  k.read("seed", o.seed);
  k.read("threads", o.threads);
  check_threads(o.threads);
  return o;
}

RegressionFitOptions regression_fit_options(const Keywords& k) {
  RegressionFitOptions o;
  k.read("per_output", o.per_output);
  k.read("hidden", o.hidden);
  k.read("hold_out", o.hold_out);
  std::string score;
  k.read("score", score);
  if (!score.empty()) {
    ConformalScore chosen{};
    k.choice("score",
             {{"normalized", ConformalScore::normalized},
              {"absolute", ConformalScore::absolute},
              {"one-sided", ConformalScore::one_sided}},
             chosen);
    o.score = chosen;
  }
  k.read("levels", o.levels);
  k.read("clip", o.clip);
  k.read("seed", o.seed);
  k.read("threads", o.threads);
  check_threads(o.threads);
  return o;
}

}  // namespace plumb::python
