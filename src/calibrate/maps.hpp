// How each method's parameters become a map; make_map() looks here. One function a method, beside its fit.
#pragma once

#include <memory>

#include "plumb/calibrate/map.hpp"

namespace plumb::detail {

using MapPtr = std::unique_ptr<CalibrationMap>;
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
