// What is drawn: the measures and colours of one face. Lengths are in half heads: the skull's top is at y =
// -1, the chin at y = 1, and y points down.
#pragma once

#include <array>
#include <cstdint>

namespace plumb::detail {

using Colour = std::array<double, 3>;  // red, green, blue in 0..1

struct Face {
  // pose, light and surroundings
  double shift_x = 0, shift_y = 0, scale = 1, cosine = 1, sine = 0, turn = 0;
  double light_x = 0, light_y = 0, exposure = 1, contrast = 1, noise = 0;
  Colour backdrop{}, backdrop_end{}, clothes{}, cast{};
  double backdrop_x = 0, backdrop_y = 0;
  // head
  double width = 0.8, taper = 0.2, jowl = 0, ear = 0.15, cheek = 0;
  Colour skin{}, hair{}, lip{}, iris{};
  // features
  double eye_y = 0, eye_x = 0.35, eye_width = 0.15, eye_height = 0.08, bag = 0;
  double brow_y = -0.2, brow = 0.05, brow_dark = 0.8;
  double nose = 0.3, nose_width = 0.12;
  double mouth_y = 0.5, mouth_width = 0.3, lips = 0.06, smile = 0.1;
  // signs of age, and what people wear
  double wrinkle = 0, fold = 0, blotch = 0;
  double hairline = -0.5, hair_length = 0, hair_cover = 1, bald = 0, beard = 0;
  bool glasses = false;
  std::array<std::array<double, 2>, 4> spots{};
};

[[nodiscard]] Face make_face(std::uint64_t seed, std::int64_t item, int age);

}  // namespace plumb::detail
