// An independent implementation of docs/calibrators: what a step's parameters mean and what was minimised, in
// long double and without the library's kernels.
#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "plumb/calibrate/fit.hpp"
#include "support/make_items.hpp"

namespace plumb::test {

using Real = long double;

inline const std::vector<double>& values(const Step& step, const std::string& name) {
  for (const Parameter& p : step.parameters)
    if (p.name == name) return p.values;
  throw std::runtime_error("no parameter " + name);
}

inline std::vector<Real> softmax(std::vector<Real> s) {
  const Real top = *std::max_element(s.begin(), s.end());
  Real sum = 0;
  for (Real& x : s) sum += x = std::exp(x - top);
  for (Real& x : s) x /= sum;
  return s;
}

/// Calibrated probabilities of K classes from K logits (binary: 0 and the log-odds).
inline std::vector<Real> naive_map(const Step& step, const std::vector<Real>& u) {
  const std::size_t k = u.size();
  const auto at = [&](const char* name, std::size_t i = 0) {
    return static_cast<Real>(values(step, name)[i]);
  };
  const auto scaled = [&](Real t) {
    std::vector<Real> s = u;
    for (Real& x : s) x /= t;
    return s;
  };
  const auto logs = [&](Real t) {
    std::vector<Real> s = softmax(scaled(t));
    for (Real& x : s) x = std::log(std::max(x, Real{1e-12}));
    return s;
  };
  std::vector<Real> s(k);
  const Real odds = k == 2 ? u[1] - u[0] : 0;
  if (step.method == "none") return softmax(u);
  if (step.method == "temperature") return softmax(scaled(at("T")));
  if (step.method == "vector") {
    for (std::size_t i = 0; i < k; ++i) s[i] = at("v", i) * u[i] + at("b", i);
  } else if (step.method == "matrix" || step.method == "dirichlet") {
    const std::vector<Real> x = step.method == "matrix" ? u : logs(1);
    for (std::size_t i = 0; i < k; ++i) {
      s[i] = at("b", i);
      for (std::size_t j = 0; j < k; ++j) s[i] += at("W", i * k + j) * x[j];
    }
  } else if (step.method == "structured-vector" || step.method == "structured-matrix") {
    const std::vector<Real> x = logs(at("T"));
    for (std::size_t i = 0; i < k; ++i) {
      s[i] = at("b", i) + (1 + at("v", i)) * x[i];
      if (step.method == "structured-matrix")
        for (std::size_t j = 0; j < k; ++j) s[i] += i == j ? 0 : at("M", i * k + j) * x[j];
    }
  } else if (step.method == "platt") {
    s = {0, at("a") * odds + at("b")};
  } else if (step.method == "quadratic") {
    s = {0, at("b") + at("w1") * odds + at("w2") * odds * odds};
  } else if (step.method == "beta") {
    const std::vector<Real> z = softmax(u);
    s = {0, at("a") * std::log(z[1]) - at("b") * std::log(z[0]) + at("c")};
  } else if (step.method == "ets") {
    const std::vector<Real> a = softmax(scaled(at("T")));
    const std::vector<Real> b = softmax(u);
    for (std::size_t i = 0; i < k; ++i)
      s[i] = at("w", 0) * a[i] + at("w", 1) * b[i] + at("w", 2) / static_cast<Real>(k);
    return s;
  } else {
    throw std::runtime_error("no naive map of " + step.method);
  }
  return softmax(s);
}

/// Log-loss per vote and the penalty of the method. `logits`: n x K.
inline Real naive_objective(const Step& step, const Simulated& data, const std::vector<double>& logits,
                            bool penalty = true) {
  const auto k = static_cast<std::size_t>(data.classes);
  Real loss = 0, mass = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::vector<Real> u(logits.begin() + static_cast<std::ptrdiff_t>(i * k),
                              logits.begin() + static_cast<std::ptrdiff_t>((i + 1) * k));
    const std::vector<Real> z = naive_map(step, u);
    const Real w = data.weight.empty() ? 1 : static_cast<Real>(data.weight[i]);
    for (const int v : data.votes[i]) {
      loss -= w * std::log(z[static_cast<std::size_t>(v)]);
      mass += w;
    }
  }
  loss /= mass;
  if (!penalty) return loss;
  const auto option = [&](const char* name) {
    for (const auto& [key, value] : step.fit.options)
      if (key == name) return static_cast<Real>(std::get<double>(value));
    throw std::runtime_error(std::string("no option ") + name);
  };
  const auto squares = [&](const char* name) {
    Real sum = 0;
    for (const double x : values(step, name)) sum += static_cast<Real>(x) * x;
    return sum;
  };
  const Real classes = static_cast<Real>(k);
  if (step.method == "vector") loss += option("lambda_b") / classes * squares("b");
  if (step.method == "matrix" || step.method == "dirichlet") {
    Real off = squares("W");
    for (std::size_t i = 0; i < k; ++i)
      off -= static_cast<Real>(values(step, "W")[i * (k + 1)]) * values(step, "W")[i * (k + 1)];
    loss +=
        option("lambda_b") / classes * squares("b") + option("lambda_w") / (classes * (classes - 1)) * off;
  }
  if (step.method == "structured-vector" || step.method == "structured-matrix")
    loss += classes / mass * (squares("b") + squares("v"));
  if (step.method == "structured-matrix") loss += classes * (classes - 1) / mass * squares("M");
  return loss;
}

/// Logits of a simulated data set of probabilities: log z; binary: 0 and the log-odds.
inline std::vector<double> naive_logits(const Simulated& s) {
  std::vector<double> u;
  for (const double z : s.z) {
    if (s.classes == 2) u.push_back(std::log(1 - z));
    u.push_back(std::log(z));
  }
  return u;
}

/// The same data as logits.
inline Items logit_items(const Simulated& s, VoteForm form) {
  Items items = to_items(s, form);
  std::vector<double> u;
  for (const double z : s.z) u.push_back(s.classes == 2 ? std::log(z) - std::log(1 - z) : std::log(z) + 3.0);
  const auto n = static_cast<std::int64_t>(s.size());
  const std::vector<std::int64_t> shape =
      s.classes == 2 ? std::vector<std::int64_t>{n} : std::vector<std::int64_t>{n, s.classes};
  items.predictions = Predictions({Rows(array_of(u, shape, "logits.npy"))}, Scale::logit);
  return items;
}

inline Step fit(const std::string& method, const Items& items, FitOptions options = {}) {
  options.threads = options.threads == 0 ? 2 : options.threads;
  return fit_calibrator(method, items, options).front();
}

}  // namespace plumb::test
