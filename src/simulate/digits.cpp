#include "plumb/simulate/digits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "plumb/numeric/narrow.hpp"
#include "plumb/simulate/streams.hpp"

namespace plumb {
namespace {

struct Point {
  double x = 0, y = 0;
};
using Stroke = std::vector<Point>;

// Each numeral's strokes in a unit box, y down: points on a smooth curve; two points are a straight line.
const std::array<std::vector<Stroke>, 10>& templates() {
  static const std::array<std::vector<Stroke>, 10> all{{
      {{{.5, .05},
        {.28, .14},
        {.18, .5},
        {.28, .86},
        {.5, .95},
        {.72, .86},
        {.82, .5},
        {.72, .14},
        {.5, .05}}},
      {{{.36, .26}, {.55, .06}}, {{.55, .06}, {.53, .94}}},
      {{{.2, .28}, {.3, .1}, {.55, .06}, {.77, .22}, {.7, .45}, {.45, .7}, {.2, .92}},
       {{.2, .92}, {.84, .9}}},
      {{{.22, .16}, {.45, .06}, {.72, .17}, {.68, .38}, {.42, .47}},
       {{.42, .47}, {.72, .56}, {.78, .76}, {.5, .95}, {.2, .85}}},
      {{{.62, .06}, {.4, .35}, {.18, .62}}, {{.18, .62}, {.86, .6}}, {{.64, .3}, {.62, .96}}},
      {{{.78, .08}, {.32, .1}},
       {{.32, .1}, {.27, .45}},
       {{.27, .45}, {.5, .38}, {.76, .5}, {.76, .76}, {.5, .94}, {.2, .86}}},
      {{{.68, .06},
        {.42, .25},
        {.26, .55},
        {.3, .84},
        {.5, .95},
        {.73, .83},
        {.7, .6},
        {.5, .52},
        {.29, .66}}},
      {{{.18, .1}, {.82, .1}}, {{.82, .1}, {.6, .45}, {.42, .95}}},
      {{{.5, .48}, {.28, .34}, {.32, .13}, {.5, .06}, {.7, .14}, {.72, .34}, {.5, .48}},
       {{.5, .48}, {.24, .64}, {.24, .84}, {.5, .95}, {.76, .85}, {.76, .64}, {.5, .48}}},
      {{{.73, .3}, {.55, .5}, {.3, .42}, {.27, .18}, {.5, .05}, {.72, .14}, {.73, .3}},
       {{.73, .3}, {.71, .6}, {.6, .95}}},
  }};
  return all;
}

// A Catmull-Rom spline through the points, with 6 pieces between two of them.
Stroke smooth(const Stroke& p) {
  if (p.size() < 3) return p;
  constexpr int kPieces = 6;
  Stroke out{p.front()};
  for (std::size_t i = 0; i + 1 < p.size(); ++i) {
    const Point a = p[i == 0 ? 0 : i - 1], b = p[i], c = p[i + 1], d = p[std::min(i + 2, p.size() - 1)];
    for (int k = 1; k <= kPieces; ++k) {
      const double t = 1.0 * k / kPieces;
      const auto at = [t](double q0, double q1, double q2, double q3) {
        return 0.5 * (2 * q1 + t * ((q2 - q0) +
                                    t * ((2 * q0 - 5 * q1 + 4 * q2 - q3) + t * (3 * q1 - q0 - 3 * q2 + q3))));
      };
      out.push_back({at(a.x, b.x, c.x, d.x), at(a.y, b.y, c.y, d.y)});
    }
  }
  return out;
}

double distance(Point p, Point a, Point b) {
  const double dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
  const double t = length > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.0, 1.0) : 0.0;
  const double ex = p.x - a.x - t * dx, ey = p.y - a.y - t * dy;
  return std::sqrt(ex * ex + ey * ey);
}

// Draws a stroke of this half-width from a to b, in pixels; where strokes cross, the darker one wins.
void ink(Point a, Point b, double half, double level, std::span<std::uint8_t> out) {
  const double reach = half + 1;
  const auto cell = [](double x) { return std::clamp(static_cast<int>(x), 0, kDigitSize - 1); };
  for (int row = cell(std::min(a.y, b.y) - reach); row <= cell(std::max(a.y, b.y) + reach); ++row) {
    for (int column = cell(std::min(a.x, b.x) - reach); column <= cell(std::max(a.x, b.x) + reach);
         ++column) {
      const double d = distance({column + 0.5, row + 0.5}, a, b);
      const std::uint8_t value = level * std::clamp(half + 0.5 - d, 0.0, 1.0) + 0.5;
      auto& pixel = out[row * kDigitSize + column];
      pixel = std::max(pixel, value);
    }
  }
}

struct Hand {
  double width, height, slant, cosine, sine, x, y, half, level, shake;
};

Hand draw_hand(RandomStream& random) {
  const auto between = [&](double lo, double hi) { return lo + (hi - lo) * random.uniform(); };
  const auto about = [&](double sd) { return sd * std::clamp(random.normal(), -2.0, 2.0); };
  Hand h{};
  h.width = between(14, 20);
  h.height = between(17, 21);
  h.slant = about(0.14);
  const double t = about(0.06);  // tan of half the angle
  h.cosine = (1 - t * t) / (1 + t * t);
  h.sine = 2 * t / (1 + t * t);
  h.x = kDigitSize / 2.0 + about(0.7);
  h.y = kDigitSize / 2.0 + about(0.7);
  h.half = between(0.6, 1.7);
  h.level = between(205, 255);
  h.shake = between(0.012, 0.035);
  return h;
}

Point placed(Point p, const Hand& h) {
  const double x = (p.x - 0.5) * h.width - h.slant * (p.y - 0.5) * h.height, y = (p.y - 0.5) * h.height;
  return {h.x + h.cosine * x - h.sine * y, h.y + h.sine * x + h.cosine * y};
}

double draw_annotation(int numeral, double concentration, RandomStream& random) {
  const double mean = annotation_mean(numeral);
  if (numeral < 2) return mean;  // eq. 52 with a zero parameter: a point mass
  const double sum = numeral < 6 ? 1 / concentration : concentration;
  return draw_beta(mean * sum, (1 - mean) * sum, random);
}

}  // namespace

int digit_numeral(std::uint64_t seed, std::int64_t item) {
  return narrow<int>(item_stream(seed, "numerals", item).below(10));
}

void draw_digit(std::uint64_t seed, std::int64_t item, int numeral, std::span<std::uint8_t> out) {
  if (numeral < 0 || numeral > 9) throw std::invalid_argument("a digit must be from 0 to 9");
  if (out.size() != std::size_t{kDigitSize} * kDigitSize)
    throw std::invalid_argument("a digit needs room for 28 x 28");
  std::fill(out.begin(), out.end(), std::uint8_t{0});
  RandomStream random = item_stream(seed, "digits", item);
  const Hand hand = draw_hand(random);
  for (Stroke stroke : templates()[numeral]) {
    for (Point& p : stroke) p = {p.x + hand.shake * random.normal(), p.y + hand.shake * random.normal()};
    const Stroke line = smooth(stroke);
    for (std::size_t i = 0; i + 1 < line.size(); ++i)
      ink(placed(line[i], hand), placed(line[i + 1], hand), hand.half, hand.level, out);
  }
}

double annotation_mean(int numeral) {
  if (numeral < 0 || numeral > 9) throw std::invalid_argument("a digit must be from 0 to 9");
  constexpr std::array<double, 10> kMean{0, 1, 0.2, 0.4, 0.6, 0.8, 0.2, 0.4, 0.6, 0.8};
  return kMean[numeral];
}

ThreeModeLabels label_three_modes(std::span<const std::uint8_t> numerals, const ThreeModeOptions& options) {
  if (options.votes < 1) throw std::invalid_argument("an image needs a vote");
  ThreeModeLabels out;
  for (std::size_t i = 0; i < numerals.size(); ++i) {
    RandomStream random = item_stream(options.seed, "three modes", i);
    const double q = draw_annotation(numerals[i], options.concentration, random);
    std::int64_t ones = 0;
    for (int v = 0; v < options.votes; ++v) {
      const bool one = random.uniform() < q;
      if (v == 0) out.labels.push_back(one ? 1 : 0);
      ones += one ? 1 : 0;
    }
    out.truth.push_back(q);
    out.expected.push_back(annotation_mean(numerals[i]));
    out.counts.push_back(options.votes - ones);
    out.counts.push_back(ones);
  }
  return out;
}

}  // namespace plumb
