#include "plumb/numeric/special.hpp"

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>

namespace plumb {

double log_gamma(double x) { return boost::math::lgamma(x); }
double digamma(double x) { return boost::math::digamma(x); }
double trigamma(double x) { return boost::math::trigamma(x); }
double normal_quantile(double p) {
  return -boost::math::constants::root_two<double>() * boost::math::erfc_inv(2.0 * p);
}
double normal_cdf(double x) {
  return 0.5 * boost::math::erfc(-x / boost::math::constants::root_two<double>());
}

}  // namespace plumb
