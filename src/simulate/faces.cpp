#include "plumb/simulate/faces.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "plumb/data/check.hpp"
#include "plumb/simulate/scenarios.hpp"
#include "plumb/simulate/streams.hpp"
#include "simulate/face.hpp"
#include "simulate/grey.hpp"

namespace plumb {
namespace {

using detail::Colour;
using detail::Face;

// Paints one pixel of a face, back to front.
// Edges are one pixel soft, so that a small image is the large one seen from afar.
class Painter {
 public:
  Painter(const Face& f, int size) : f_(f), pixel_(2.0 / (size * f.scale)) {}

  Colour paint(double u, double v) {
    const double dx = u - f_.shift_x, dy = v - f_.shift_y;
    x_ = (f_.cosine * dx + f_.sine * dy) / f_.scale;
    y_ = (f_.cosine * dy - f_.sine * dx) / f_.scale;
    colour_ = f_.backdrop;
    lay(f_.backdrop_end, std::clamp(0.5 + f_.backdrop_x * u + f_.backdrop_y * v, 0.0, 1.0));
    back_hair();
    body();
    head();
    if (head_ > 0) features();
    front_hair();
    for (std::size_t k = 0; k < 3; ++k) {
      const double lit = colour_[k] * (f_.exposure + f_.light_x * u + f_.light_y * v) * f_.cast[k];
      colour_[k] = 0.5 + f_.contrast * (lit - 0.5);
    }
    return colour_;
  }

 private:
  void lay(const Colour& c, double share) {
    for (std::size_t k = 0; k < 3; ++k) colour_[k] += share * (c[k] - colour_[k]);
  }
  void darken(double share) {
    for (double& c : colour_) c *= 1 - share;
  }
  // 1 inside (distance < 0), 0 outside, over one pixel.
  [[nodiscard]] double edge(double distance) const { return std::clamp(0.5 - distance / pixel_, 0.0, 1.0); }
  [[nodiscard]] static double distance(double dx, double dy, double a, double b) {
    const double rx = dx / a, ry = dy / b;
    return (std::sqrt(rx * rx + ry * ry) - 1) * std::min(a, b);
  }
  [[nodiscard]] double ellipse(double dx, double dy, double a, double b) const {
    return edge(distance(dx, dy, a, b));
  }
  // A stroke of half-width w at distance d from its middle; one thinner than a pixel is fainter, not thicker.
  [[nodiscard]] double stroke(double d, double w) const {
    const double reach = w + 0.5 * pixel_;
    return std::clamp((reach - std::abs(d)) / pixel_, 0.0, 1.0) * std::min(1.0, 2 * w / pixel_);
  }
  [[nodiscard]] static double bump(double d2) { return d2 >= 1 ? 0.0 : (1 - d2) * (1 - d2); }
  [[nodiscard]] double outline() const {  // half-width of the head at this height
    const double low = std::max(0.0, y_ + 0.1), jowl = bump((y_ - 0.62) * (y_ - 0.62) * 12);
    return f_.width * std::max(0.3, 1 - f_.taper * low * low) + f_.jowl * jowl;
  }

  void back_hair() {
    const double cover = ellipse(x_, y_ + 0.08, f_.width + 0.12, 1.03) * edge(y_ - 0.3);
    const double sides = edge(std::abs(x_) - f_.width - 0.12 - 0.06 * std::max(0.0, y_)) * edge(-y_ - 0.05);
    lay(f_.hair, std::max(cover, sides) * edge(y_ - f_.hair_length) * f_.hair_cover);
  }
  void body() {
    const double neck = edge(std::abs(x_) - 0.55 * f_.width) * edge(0.3 - y_);
    lay(f_.skin, neck);
    darken(0.22 * neck);
    lay(f_.clothes, edge(1.22 + 0.28 * x_ * x_ - y_));
  }
  void head() {
    for (const double side : {-1.0, 1.0}) {
      const double ear = ellipse(x_ - side * f_.width * 0.99, y_ - f_.eye_y - 0.12, 0.09, f_.ear);
      lay(f_.skin, ear);
      darken(0.12 * ear);
    }
    head_ = ellipse(x_, y_, outline(), 1.0);
    if (head_ <= 0) return;
    lay(f_.skin, head_);
    const double round = (x_ * x_ / (f_.width * f_.width) + y_ * y_);
    darken(head_ * (0.20 * round * round - 0.05));
  }

  void features() {
    const double x = x_ - f_.turn;
    const double side = x < 0 ? -1.0 : 1.0, ax = std::abs(x);
    cheeks(ax);
    beard(ax);
    wrinkles(x, ax);
    nose(x, ax);
    mouth(x, ax);
    eye(ax - f_.eye_x, side);
  }
  void cheeks(double ax) {
    const double dx = (ax - 0.52 * f_.width) / 0.25, dy = (y_ - 0.34) / 0.22;
    lay(Colour{0.88, 0.38, 0.36}, head_ * f_.cheek * bump(dx * dx + dy * dy));
    for (const auto& spot : f_.spots) {
      const double sx = (x_ - spot[0]) / 0.09, sy = (y_ - spot[1]) / 0.08;
      darken(head_ * 0.30 * f_.blotch * bump(sx * sx + sy * sy));
    }
  }
  void beard(double ax) {
    if (f_.beard <= 0 || y_ < 0.2) return;
    const double mouth = distance(ax, y_ - f_.mouth_y, f_.mouth_width * 0.9, 0.10);
    lay(f_.hair, head_ * f_.beard * edge(0.32 + 0.25 * (0.75 - ax) - y_) * (1 - edge(mouth)));
  }
  void wrinkles(double x, double ax) {
    if (f_.fold <= 0) return;
    const double lines = head_ * 0.42 * f_.wrinkle, folds = head_ * 0.42 * f_.fold;
    for (const double at : {0.16, 0.29, 0.42}) {  // forehead
      const double y = f_.brow_y - at + 0.10 * x * x;
      darken(lines * stroke(y_ - y, 0.018) * bump(x * x / 0.25));
    }
    const double frown = y_ - f_.brow_y - 0.02;
    darken(lines * stroke(ax - 0.05, 0.015) * bump(frown * frown / 0.015));
    const double t = (y_ - (f_.eye_y + f_.nose - 0.04)) / 0.34;  // from the nose to beside the mouth
    if (t > 0 && t < 1)
      darken(folds * stroke(ax - (f_.nose_width + 0.06 + 0.15 * t), 0.025) *
             std::min(1.0, 4 * t * (1.2 - t)));
    const double out = ax - f_.eye_x - f_.eye_width - 0.04;  // crow's feet
    if (out > 0 && out < 0.16) {
      for (const double slope : {-0.55, 0.05, 0.6})
        darken(lines * stroke(y_ - f_.eye_y - slope * out, 0.012));
    }
    const double down = y_ - f_.mouth_y - 0.03;  // from the corners of the mouth down
    if (down > 0 && down < 0.24)
      darken(folds * 0.55 * stroke(ax - f_.mouth_width - 0.02 - 0.10 * down, 0.02));
    const double sx = (ax - 0.62 * f_.width) / 0.10, sy = (y_ - 0.40) / 0.30;  // hollow cheeks
    darken(head_ * 0.22 * f_.wrinkle * bump(sx * sx + sy * sy));
  }
  void nose(double x, double ax) {
    const double tip = f_.eye_y + f_.nose, along = (y_ - f_.eye_y) / f_.nose;
    if (along > 0 && along < 1.05) {
      darken(head_ * 0.16 * stroke(x - 0.6 * f_.nose_width * along, 0.035));
      lay(Colour{1, 0.95, 0.9}, head_ * 0.10 * stroke(x + 0.15 * f_.nose_width, 0.03) * along);
    }
    darken(head_ * 0.22 * ellipse(x, y_ - tip - 0.02, f_.nose_width, 0.030));
    darken(head_ * 0.45 * ellipse(ax - 0.55 * f_.nose_width, y_ - tip, 0.030, 0.022));
  }
  void mouth(double x, double ax) {
    const double bend = f_.smile * (1 - x * x / (f_.mouth_width * f_.mouth_width)) - 0.5 * f_.smile;
    const double y = y_ - f_.mouth_y - bend, reach = edge(ax - f_.mouth_width);
    const double full = std::max(0.0, 1 - x * x / (f_.mouth_width * f_.mouth_width));
    lay(f_.lip, head_ * reach * stroke(y, f_.lips * (0.35 + 0.65 * full)));
    darken(head_ * reach * 0.55 * stroke(y, 0.012));
  }
  void eye(double x, double side) {
    const double bag = (y_ - f_.eye_y - f_.eye_height - 0.06) / 0.07, bx = x / (f_.eye_width * 1.1);
    darken(head_ * 0.30 * std::max(0.0, f_.bag) * bump(bag * bag + bx * bx));
    const double y = y_ - f_.eye_y, open = ellipse(x, y, f_.eye_width, f_.eye_height);
    darken(head_ * 0.35 * ellipse(x, y + 0.25 * f_.eye_height, f_.eye_width * 1.12, f_.eye_height * 1.35) *
           (1 - open));
    lay(Colour{0.93, 0.92, 0.90}, head_ * open);
    const double iris = 0.58 * f_.eye_width, gaze = x - side * 0.4 * f_.turn;
    lay(f_.iris, head_ * open * ellipse(gaze, y, iris, iris));
    lay(Colour{0.03, 0.03, 0.03}, head_ * open * ellipse(gaze, y, 0.45 * iris, 0.45 * iris));
    const double arch = y_ - f_.brow_y - 0.9 * x * x;
    lay(f_.hair, head_ * f_.brow_dark * stroke(arch, f_.brow) * edge(std::abs(x) - 1.15 * f_.eye_width));
    if (f_.glasses) {
      const double ring = distance(x, y - 0.02, f_.eye_width + 0.075, f_.eye_height + 0.10);
      lay(Colour{0.12, 0.10, 0.10}, 0.85 * stroke(ring, 0.02));
    }
  }

  void front_hair() {
    const double skull = ellipse(x_, y_ + 0.03, f_.width + 0.05, 1.04);
    if (skull <= 0 || y_ > 0.2) return;
    const double rx = x_ / f_.width;
    const double above = edge(y_ - f_.hairline - 0.55 * rx * rx * rx * rx - 0.06 * rx * rx);
    const double crown = 1 - f_.bald * bump(0.75 * rx * rx + (y_ + 0.75) * (y_ + 0.75) * 1.2);
    lay(f_.hair, skull * above * f_.hair_cover * std::max(0.0, crown));
  }

  const Face& f_;
  double pixel_;  // in half heads
  double x_ = 0, y_ = 0, head_ = 0;
  Colour colour_{};
};

}  // namespace

void draw_face(std::uint64_t seed, std::int64_t item, int age, int size, std::span<std::uint8_t> out) {
  if (size < kSmallestFace || size > kLargestFace)
    throw InputError("the size of a face must be between " + std::to_string(kSmallestFace) + " and " +
                     std::to_string(kLargestFace) + " pixels, not " + std::to_string(size));
  if (age < 0 || age > kOldest)
    throw InputError("an age must be between 0 and " + std::to_string(kOldest) + ", not " +
                     std::to_string(age));
  const std::size_t n = size, plane = n * n;
  if (out.size() != 3 * plane) throw std::invalid_argument("a face needs room for 3 planes of its size");
  const Face face = detail::make_face(seed, item, age);
  Painter painter(face, size);
  std::vector<std::int16_t> noise(3 * plane);
  fill_noise(seed, "face noise", item, noise);
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t column = 0; column < n; ++column) {
      const double u = (2.0 * column + 1) / size - 1, v = (2.0 * row + 1) / size - 1;
      const Colour c = painter.paint(u, v);
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t at = k * plane + row * n + column;
        const double level = c[k] + face.noise * noise[at] / kNoiseSd;
        out[at] = detail::grey(level);
      }
    }
  }
}

}  // namespace plumb
