// The rows of the methods, each defined in the method's own file beside its fit, map and ONNX nodes.
// calibrators() lists them.
//
// Parameters of the parametric methods, u being the logits (log z of probabilities; binary: the log-odds):
//   temperature        T                u / T
//   vector             v [K], b [K]     v_k u_k + b_k
//   matrix, dirichlet  W [K, K], b [K]  W u + b; dirichlet: u = log-probabilities, not below log 1e-12
//   platt              a, b             a u + b
//   beta               a, b, c          a log p - b log(1 - p) + c, p = logistic(u)
//   quadratic          b, w1, w2        b + w1 u + w2 u^2
//   ets                T, w [3]         w_1 softmax(u / T) + w_2 softmax(u) + w_3 / K
//   structured-vector  T, v [K], b [K]            (1 + v_k) u_k + b_k
//   structured-matrix  T, v [K], M [K, K], b [K]  (I + diag v + M) u + b; the diagonal of M is 0
//     both: u = log softmax(logits / T), not below log 1e-12; binary: K = 2, u = (log(1 - p), log p)
#pragma once

#include <functional>
#include <memory>

#include "plumb/calibrate/fit.hpp"
#include "plumb/calibrate/map.hpp"
#include "plumb/calibrate/scores.hpp"
#include "plumb/data/check.hpp"

namespace plumb::detail {

extern const CalibratorRow kTemperature, kVector, kMatrix, kDirichlet, kBeta, kPlatt, kIsotonic, kHistogram,
    kEts, kMixNMatch, kAlpha, kStructuredVector, kStructuredMatrix, kQuadratic, kSpline, kDirichletSoft,
    kTemperatureSoft, kTemperatureDrawn, kTemperatureSmooth, kNone, kAuto;

/// The row's fit with the prior that the options name or, where the plain objective has no finite optimum,
/// with kPriorVotes; the report says which.
[[nodiscard]] Step fit_with_prior(const CalibratorRow& row, const Items& items, const FitOptions& options);
[[nodiscard]] Step fit_with_prior(const std::function<Step(const FitOptions&)>& fit,
                                  const FitOptions& options);

using MapPtr = std::unique_ptr<CalibrationMap>;

/// A map of rows, apply(in, width, z), as CalibrationMap asks for it.
template <class Apply>
MapPtr make_rows_map(Scale input, Apply apply) {
  class Map final : public CalibrationMap {
   public:
    Map(Scale input, Apply apply) : input_(input), apply_(std::move(apply)) {}
    [[nodiscard]] Scale input() const override { return input_; }
    void apply(std::span<const double> in, int width, std::span<double> z) const override {
      apply_(in, width, z);
    }

   private:
    Scale input_;
    Apply apply_;
  };
  return std::make_unique<Map>(input, std::move(apply));
}
/// softmax(move(u)), each logit moved by itself.
template <class Move>
MapPtr move_logits(Move move) {
  return make_rows_map(Scale::logit,
                       [move = std::move(move)](std::span<const double> in, int width, std::span<double> z) {
                         for (std::int64_t i = 0; i < std::ssize(z); ++i) z[i] = move(in[i]);
                         probabilities_of(z, width, z);
                       });
}

/// InputError when a map of two classes is asked for more.
void need_two(const Step& step, int classes);
/// The step's T; InputError unless it is positive.
[[nodiscard]] double positive_temperature(const Step& step);

}  // namespace plumb::detail
