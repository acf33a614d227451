// How each method's parameters become a map; make_map() looks here. One function a method, beside its fit.
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

#include <memory>

#include "plumb/calibrate/map.hpp"

namespace plumb::detail {

using MapPtr = std::unique_ptr<CalibrationMap>;
/// InputError when a map of two classes is asked for more.
void need_two(const Step& step, int classes);
[[nodiscard]] MapPtr map_none(const Step& step, int classes);  // also alpha
[[nodiscard]] MapPtr map_temperature(const Step& step, int classes);
[[nodiscard]] MapPtr map_vector(const Step& step, int classes);
[[nodiscard]] MapPtr map_matrix(const Step& step, int classes);  // also dirichlet
[[nodiscard]] MapPtr map_beta(const Step& step, int classes);
[[nodiscard]] MapPtr map_platt(const Step& step, int classes);
[[nodiscard]] MapPtr map_isotonic(const Step& step, int classes);
[[nodiscard]] MapPtr map_histogram(const Step& step, int classes);
[[nodiscard]] MapPtr map_ets(const Step& step, int classes);
[[nodiscard]] MapPtr map_mix_n_match(const Step& step, int classes);
[[nodiscard]] MapPtr map_structured(const Step& step, int classes);
[[nodiscard]] MapPtr map_quadratic(const Step& step, int classes);
[[nodiscard]] MapPtr map_spline(const Step& step, int classes);

}  // namespace plumb::detail
