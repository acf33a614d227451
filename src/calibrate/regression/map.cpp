#include "plumb/calibrate/regression/map.hpp"

#include <algorithm>
#include <cmath>

#include "calibrate/regression/aux_network.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/special.hpp"

namespace plumb {
namespace {

void check_level_inside(double level) {
  if (!(level > 0 && level < 1))
    throw InputError("the level of an interval must lie between 0 and 1, not " + show(level));
}

class ScaleMap : public VarianceMap {
 public:
  ScaleMap(std::vector<double> s, bool aleatoric, bool laplace)
      : s_(std::move(s)), aleatoric_(aleatoric), laplace_(laplace) {}
  bool needs_parts() const override { return aleatoric_; }
  void variance(const RegressionBlock& b, std::span<double> out) const override {
    const std::vector<double>& v = aleatoric_ ? b.aleatoric : b.variance;
    const auto n = static_cast<std::size_t>(b.size);
    for (std::size_t k = 0; k < out.size(); ++k) {
      const double s = s_.size() == 1 ? s_[0] : s_[k / n];
      out[k] = s * s * v[k];
    }
  }
  void offsets(const RegressionBlock& b, double level, std::span<double> low,
               std::span<double> high) const override {
    if (!laplace_) return VarianceMap::offsets(b, level, low, high);
    check_level_inside(level);
    variance(b, high);  // |y - mean| <= -b log(1 - level), b = sqrt(variance / 2)
    const double factor = -log_portable(1 - level) * std::sqrt(0.5);
    for (std::size_t k = 0; k < high.size(); ++k) {
      high[k] = factor * std::sqrt(high[k]);
      low[k] = -high[k];
    }
  }

 private:
  std::vector<double> s_;
  bool aleatoric_, laplace_;
};

class PartsMap : public VarianceMap {
 public:
  PartsMap(double aleatoric, double epistemic) : a_(aleatoric * aleatoric), b_(epistemic * epistemic) {}
  bool needs_parts() const override { return true; }
  void variance(const RegressionBlock& b, std::span<double> out) const override {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = a_ * b.aleatoric[k] + b_ * b.epistemic[k];
  }

 private:
  double a_, b_;
};

class AuxMap : public VarianceMap {
 public:
  AuxMap(detail::AuxNetwork net, bool aleatoric) : net_(std::move(net)), aleatoric_(aleatoric) {}
  bool needs_parts() const override { return aleatoric_; }
  void variance(const RegressionBlock& b, std::span<double> out) const override {
    const std::vector<double>& v = aleatoric_ ? b.aleatoric : b.variance;
    // A variance of 0 has no logarithm; the network sees the smallest positive number instead.
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = std::max(v[k], 1e-300);
    log_block(out, out);
    for (double& x : out) x = (x - net_.centre) / net_.width;
    net_.predict(out, out);
    exp_block(out, out);
  }

 private:
  detail::AuxNetwork net_;
  bool aleatoric_;
};

class QuantileMap : public VarianceMap {
 public:
  QuantileMap(std::vector<double> level, std::vector<double> z, double variance)
      : level_(std::move(level)), z_(std::move(z)), variance_(variance) {}
  void variance(const RegressionBlock& b, std::span<double> out) const override {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = variance_ * b.variance[k];
  }
  void offsets(const RegressionBlock& b, double level, std::span<double> low,
               std::span<double> high) const override {
    check_level_inside(level);
    const double from = quantile(0.5 - 0.5 * level), to = quantile(0.5 + 0.5 * level);
    for (std::size_t k = 0; k < low.size(); ++k) {
      const double sigma = std::sqrt(b.variance[k]);
      low[k] = from * sigma;
      high[k] = to * sigma;
    }
  }

 private:
  /// Linear between the knots; the outermost z beyond them.
  [[nodiscard]] double quantile(double q) const {
    const auto at =
        static_cast<std::size_t>(std::lower_bound(level_.begin(), level_.end(), q) - level_.begin());
    if (at == 0) return z_.front();
    if (at == level_.size()) return z_.back();
    const double share = (q - level_[at - 1]) / (level_[at] - level_[at - 1]);
    return z_[at - 1] + share * (z_[at] - z_[at - 1]);
  }
  std::vector<double> level_, z_;
  double variance_;
};

class ConformalMap : public VarianceMap {
 public:
  ConformalMap(bool normalized, std::vector<double> level, std::vector<double> low, std::vector<double> high)
      : normalized_(normalized), level_(std::move(level)), low_(std::move(low)), high_(std::move(high)) {}
  bool has_variance() const override { return false; }
  void variance(const RegressionBlock& /*block*/, std::span<double> /*out*/) const override {
    throw InputError("conformal calibration gives intervals, not variances; ask for --intervals");
  }
  void offsets(const RegressionBlock& b, double level, std::span<double> low,
               std::span<double> high) const override {
    constexpr double kSame = 1e-12;
    const auto at =
        std::find_if(level_.begin(), level_.end(), [&](double l) { return std::abs(l - level) < kSame; });
    if (at == level_.end())
      throw InputError("the model has no interval of level " + show(level) + " (it has " +
                       show(level_.front()) + " to " + show(level_.back()) + "); fit it with --levels " +
                       show(level) + ", on more items when it is a high one");
    const auto k = static_cast<std::size_t>(at - level_.begin());
    for (std::size_t i = 0; i < low.size(); ++i) {
      const double sigma = normalized_ ? std::sqrt(b.variance[i]) : 1.0;
      low[i] = low_[k] * sigma;
      high[i] = high_[k] * sigma;
    }
  }

 private:
  bool normalized_;
  std::vector<double> level_, low_, high_;
};

std::vector<double> copied(std::span<const double> x) { return {x.begin(), x.end()}; }

[[noreturn]] void unfit(const Step& step, const std::string& what) {
  throw InputError("the model file's " + step.method + " step " + what);
}

/// One factor, or one for each output.
std::vector<double> scales(const Step& step, int outputs) {
  for (const Parameter& p : step.parameters)
    if (p.name == "s" && p.shape.empty()) return {scalar_parameter(step, "s")};
  std::vector<double> s = copied(vector_parameter(step, "s"));
  if (s.size() != static_cast<std::size_t>(outputs))
    unfit(step, "has a factor for each of " + std::to_string(s.size()) +
                    " outputs, but the predictions have " + std::to_string(outputs));
  return s;
}

std::unique_ptr<VarianceMap> aux_map(const Step& step, bool aleatoric) {
  detail::AuxNetwork net;
  net.centre = scalar_parameter(step, "centre");
  net.width = scalar_parameter(step, "width");
  if (!(net.width > 0)) unfit(step, "has a width that is not positive");
  net.low = scalar_parameter(step, "low");
  net.high = scalar_parameter(step, "high");
  if (!(net.low <= net.high)) unfit(step, "has a range that is empty");
  const auto weight = vector_parameter(step, "weight");
  net.hidden = weight.size();
  const std::vector<std::int64_t> shape{static_cast<std::int64_t>(net.hidden)};
  net.parameters = copied(weight);
  for (const char* name : {"bias", "out_weight"}) {
    const auto part = parameter(step, name, shape);
    net.parameters.insert(net.parameters.end(), part.begin(), part.end());
  }
  net.parameters.push_back(scalar_parameter(step, "out_bias"));
  return std::make_unique<AuxMap>(std::move(net), aleatoric);
}

}  // namespace

void VarianceMap::offsets(const RegressionBlock& b, double level, std::span<double> low,
                          std::span<double> high) const {
  check_level_inside(level);
  variance(b, high);
  const double q = normal_quantile(0.5 + 0.5 * level);
  for (std::size_t k = 0; k < high.size(); ++k) {
    high[k] = q * std::sqrt(high[k]);
    low[k] = -high[k];
  }
}

std::unique_ptr<VarianceMap> make_variance_map(const Step& step, int outputs) {
  const std::string& m = step.method;
  if (m == "sigma" || m == "sigma-laplace" || m == "sigma-aleatoric") {
    std::vector<double> s = scales(step, outputs);
    if (std::any_of(s.begin(), s.end(), [](double x) { return !(x >= 0); }))
      unfit(step, "has a negative factor");
    return std::make_unique<ScaleMap>(std::move(s), m == "sigma-aleatoric", m == "sigma-laplace");
  }
  if (m == "sigma-parts")
    return std::make_unique<PartsMap>(scalar_parameter(step, "s_aleatoric"),
                                      scalar_parameter(step, "s_epistemic"));
  if (m == "aux" || m == "aux-aleatoric") return aux_map(step, m == "aux-aleatoric");
  if (m == "isotonic-quantile" || m == "conformal") {
    std::vector<double> level = copied(vector_parameter(step, "level"));
    const std::vector<std::int64_t> shape{static_cast<std::int64_t>(level.size())};
    if (level.empty() || !std::is_sorted(level.begin(), level.end()))
      unfit(step, "has levels that do not ascend");
    if (m == "conformal")
      return std::make_unique<ConformalMap>(scalar_parameter(step, "normalized") != 0, std::move(level),
                                            copied(parameter(step, "low", shape)),
                                            copied(parameter(step, "high", shape)));
    return std::make_unique<QuantileMap>(std::move(level), copied(parameter(step, "z", shape)),
                                         scalar_parameter(step, "z_variance"));
  }
  throw InputError("the model file's step \"" + m + "\" is not one for regression");
}

}  // namespace plumb
