#include "report/rounded.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace plumb::detail {
namespace {

constexpr int kMostDecimals = 12;

double number_in(const std::string& text) {
  double x = 0;
  std::from_chars(text.data(), text.data() + text.size(), x);
  return x;
}

/// The decimals that give so many significant digits, at least `least`.
int decimals_for(double x, int significant, int least) {
  if (x == 0 || !std::isfinite(x)) return least;
  const int leading = static_cast<int>(std::floor(std::log10(std::abs(x))));
  return std::clamp(significant - 1 - leading, least, kMostDecimals);
}

std::string text_beside(double x, double limit, int decimals, Round round) {
  for (;; ++decimals) {
    std::string text = decimals_text(x, decimals, round);
    const double printed = number_in(text);
    const bool kept = x < limit ? printed < limit : x > limit ? printed > limit : printed == limit;
    if (kept || decimals >= kMostDecimals) return text;
  }
}

}  // namespace

std::string decimals_text(double x, int decimals, Round round, bool fixed) {
  std::string text = fmt::format("{:.{}f}", x, decimals);
  // The text is moved by one unit if fmt rounded in the wrong direction; the slack is for numbers such as 0.1
  // * 3, which are meant to be short.
  const double printed = number_in(text), slack = 1e-12 * std::max(1.0, std::abs(x)),
               unit = std::pow(10.0, -decimals);
  if (round == Round::up && printed < x - slack) text = fmt::format("{:.{}f}", printed + unit, decimals);
  if (round == Round::down && printed > x + slack) text = fmt::format("{:.{}f}", printed - unit, decimals);
  if (!fixed && text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  if (text.starts_with('-') && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
  return text;
}

std::string error_text(double x, Round round) { return decimals_text(x, decimals_for(x, 2, 3), round); }

std::string error_text_beside(double x, double limit, Round round) {
  return text_beside(x, limit, decimals_for(x, 2, 3), round);
}

std::string factor_text(double x, Round round) {
  if (x >= 1e6) return fmt::format("{:.3g}", x);
  return decimals_text(x, decimals_for(x, 3, 0), round);
}

std::string factor_text_beside(double x, double limit, Round round) {
  return x >= 1e6 ? factor_text(x, round) : text_beside(x, limit, decimals_for(x, 3, 0), round);
}

}  // namespace plumb::detail
