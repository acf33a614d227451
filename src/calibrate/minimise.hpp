// Smooth convex minimisation: Newton's method with conjugate gradients inside, for many parameters.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace plumb::detail {

/// The promised tolerance of a fit; fits aim further, to where only rounding error is left.
inline constexpr double kGradientTolerance = 1e-6;
inline constexpr double kGradientAim = 1e-11;

class ConvexProblem {
 public:
  virtual ~ConvexProblem() = default;
  /// The objective and its gradient; may keep what the curvature at x needs.
  virtual double evaluate(std::span<const double> x, std::span<double> gradient) = 0;
  /// Called before the next two, at the x last evaluated.
  virtual void prepare() {}
  /// out = Hessian times d.
  virtual void curve(std::span<const double> d, std::span<double> out) = 0;
  /// out = approximate inverse of the Hessian times r; symmetric and positive.
  virtual void precondition(std::span<const double> r, std::span<double> out) = 0;
};

struct Minimum {
  double value = 0;
  double gradient_norm = 0;  ///< infinity norm
  std::int64_t iterations = 0;
  std::int64_t products = 0;           ///< Hessian times vector
  bool converged = false;              ///< to kGradientTolerance
  std::vector<double> last_step = {};  ///< of the parameters; where the optimum is finite, a tiny one
};

/// A step that still moves a score by this much, with a gradient that has vanished, chases an optimum at
/// infinity, where every Newton step has a length of about 1.
inline constexpr double kRunaway = 0.1;

/// x is the start and becomes the minimiser.
Minimum minimise(ConvexProblem& problem, std::vector<double>& x, double aim = kGradientAim);

[[nodiscard]] double dot(std::span<const double> a, std::span<const double> b);
[[nodiscard]] double infinity_norm(std::span<const double> a);

}  // namespace plumb::detail
