#include "simulate/face.hpp"

#include <algorithm>

#include "plumb/numeric/elementary.hpp"
#include "plumb/simulate/streams.hpp"

namespace plumb::detail {
namespace {

// From 0 at lo to 1 at hi, smooth at both ends.
double ramp(double x, double lo, double hi) {
  const double t = std::clamp((x - lo) / (hi - lo), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

Colour mix(const Colour& a, const Colour& b, double share) {
  Colour c{};
  for (std::size_t k = 0; k < 3; ++k) c[k] = a[k] + share * (b[k] - a[k]);
  return c;
}

class Draw {
 public:
  Draw(std::uint64_t seed, std::int64_t item) : random_(item_stream(seed, "faces", item)) {}
  double between(double lo, double hi) { return lo + (hi - lo) * random_.uniform(); }
  // Around 0, truncated at two standard deviations, so that no face is grotesque.
  double jitter(double sd) { return sd * std::clamp(random_.normal(), -2.0, 2.0); }
  bool happens(double p) { return random_.uniform() < p; }
  Colour colour(double lo, double hi) { return {between(lo, hi), between(lo, hi), between(lo, hi)}; }
  template <std::size_t N>
  Colour from(const std::array<Colour, N>& palette) {
    const std::uint64_t k = random_.below(N);
    return mix(palette[k], palette[random_.below(N)], between(0, 0.35));
  }

 private:
  RandomStream random_;
};

constexpr std::array<Colour, 6> kSkin{{{0.96, 0.82, 0.72},
                                       {0.91, 0.74, 0.60},
                                       {0.80, 0.61, 0.46},
                                       {0.66, 0.47, 0.34},
                                       {0.48, 0.33, 0.24},
                                       {0.34, 0.23, 0.18}}};
constexpr std::array<Colour, 6> kHair{{{0.08, 0.06, 0.06},
                                       {0.16, 0.10, 0.07},
                                       {0.30, 0.19, 0.11},
                                       {0.44, 0.29, 0.16},
                                       {0.70, 0.55, 0.30},
                                       {0.50, 0.22, 0.10}}};
constexpr std::array<Colour, 3> kIris{{{0.22, 0.13, 0.07}, {0.25, 0.40, 0.55}, {0.30, 0.38, 0.22}}};
constexpr Colour kGrey{0.72, 0.72, 0.74}, kWhite{0.92, 0.92, 0.93};

void set_scene(Face& f, Draw& draw) {
  f.shift_x = draw.jitter(0.07);
  f.shift_y = draw.jitter(0.05) + 0.03;
  f.scale = 0.66 * (1 + draw.jitter(0.07));
  // tan of half the angle: up to about 11 degrees, without sine and cosine
  const double half = draw.jitter(0.05);
  f.cosine = (1 - half * half) / (1 + half * half);
  f.sine = 2 * half / (1 + half * half);
  f.turn = draw.jitter(0.07);
  f.light_x = draw.jitter(0.16);
  f.light_y = draw.jitter(0.10) - 0.05;
  f.exposure = 1 + draw.jitter(0.10);
  f.contrast = 1 + draw.jitter(0.10);
  f.noise = draw.between(0.008, 0.035);
  const double level = draw.between(0.2, 0.85);
  f.backdrop = mix(draw.colour(0.1, 0.9), Colour{level, level, level}, 0.55);
  f.backdrop_end = mix(f.backdrop, draw.colour(0.1, 0.9), 0.45);
  f.backdrop_x = draw.jitter(0.4);
  f.backdrop_y = draw.jitter(0.4);
  f.clothes = draw.colour(0.05, 0.85);
  f.cast = {1 + draw.jitter(0.03), 1.0, 1 + draw.jitter(0.04)};
}

// Proportions are adult from about 20 on and sag from 40 on.
void set_proportions(Face& f, double age, Draw& draw) {
  const double child = exp_portable(-(age / 11) * (age / 11)),
               baby = exp_portable(-(age / 2.5) * (age / 2.5));
  const double sag = ramp(age, 38, 98), life = age / 100;
  f.width = 0.745 + 0.15 * child + 0.03 * sag + draw.jitter(0.025);
  f.taper = 0.20 + 0.05 * draw.jitter(1) - 0.06 * child - 0.05 * sag;
  f.jowl = 0.13 * sag;
  f.ear = 0.15 + 0.05 * sag + draw.jitter(0.01);
  f.cheek = 0.30 * child + 0.06 * (1 - life) + draw.jitter(0.02);
  f.eye_y = -0.08 + 0.30 * child + draw.jitter(0.02);
  f.eye_x = f.width * (0.44 + draw.jitter(0.015));
  f.eye_width = 0.145 + 0.045 * child - 0.012 * sag + draw.jitter(0.008);
  f.eye_height = 0.082 + 0.062 * child - 0.022 * life - 0.022 * sag + draw.jitter(0.007);
  f.bag = 0.9 * ramp(age, 28, 90) + draw.jitter(0.06);
  f.brow_y = f.eye_y - 0.20 - 0.02 * child + 0.03 * sag + draw.jitter(0.012);
  f.brow = (0.035 + draw.between(0, 0.025)) * (1 - 0.55 * child) * (1 - 0.5 * baby) * (1 - 0.25 * sag);
  f.brow_dark = 0.85 - 0.6 * baby;
  f.nose = 0.37 - 0.19 * child + 0.06 * sag + draw.jitter(0.02);
  f.nose_width = 0.13 - 0.03 * child + 0.035 * sag + draw.jitter(0.01);
  f.mouth_y = 0.52 + 0.10 * child - 0.02 * sag + draw.jitter(0.015);
  f.mouth_width = 0.30 - 0.10 * child + draw.jitter(0.025);
  f.lips = std::max(0.015, 0.075 - 0.015 * child - 0.045 * life - 0.012 * sag + draw.jitter(0.007));
  f.smile = 0.10 + draw.jitter(0.09) - 0.16 * sag;
}

void set_marks(Face& f, double age, Draw& draw) {
  f.wrinkle = std::max(0.0, 0.30 * ramp(age, 22, 60) + 0.70 * ramp(age, 45, 95)) * (1 + draw.jitter(0.12));
  f.fold = std::max(0.0, 0.35 * ramp(age, 18, 50) + 0.65 * ramp(age, 40, 85)) * (1 + draw.jitter(0.12));
  f.blotch = ramp(age, 50, 95) * draw.between(0.3, 1);
  for (auto& spot : f.spots) spot = {draw.jitter(0.35), draw.between(-0.55, 0.6)};
  f.glasses = draw.happens(0.06 + 0.14 * ramp(age, 35, 60));
}

void set_colours(Face& f, double age, double look, Draw& draw) {
  const double grey_at = 55 + draw.jitter(8), grey = ramp(look, grey_at - 24, grey_at + 22);
  const double white = ramp(look, grey_at + 12, grey_at + 45);
  f.skin = draw.from(kSkin);
  const double pale = 0.10 * ramp(age, 45, 100);
  f.skin = mix(f.skin, Colour{0.80, 0.74, 0.68}, pale);
  Colour hair = draw.from(kHair);
  const double fair = 0.25 * exp_portable(-(age / 6) * (age / 6));  // children's hair darkens
  hair = mix(hair, Colour{0.75, 0.6, 0.38}, f.skin[0] > 0.7 ? fair : 0.0);
  f.hair = mix(mix(hair, kGrey, grey), kWhite, white);
  f.lip = mix(mix(f.skin, Colour{0.72, 0.22, 0.24}, 0.55), f.skin, 0.65 * look / 100);
  f.iris = draw.from(kIris);
}

void set_hair(Face& f, double age, Draw& draw) {
  const bool man = draw.happens(0.5);
  const double prone = draw.between(0, 1);  // to hair loss
  const double baby = exp_portable(-(age / 1.8) * (age / 1.8));
  const double loss = man ? ramp(age, 22 + 30 * prone, 62 + 38 * prone) : 0.35 * ramp(age, 45, 100);
  f.hairline = -0.52 - 0.10 * baby - 0.20 * loss - 0.05 * age / 100 + draw.jitter(0.035);
  f.bald = man ? loss * (1 - 0.5 * prone) : 0.3 * loss;
  f.hair_cover = (1 - 0.75 * baby) * (1 - 0.30 * loss);
  const double length = man ? draw.between(-0.15, 0.25) : draw.between(0.1, 1.2);
  f.hair_length = -0.3 + (length + 0.3) * ramp(age, 0, 6) * (man ? 1.0 : 1 - 0.5 * ramp(age, 45, 80));
  const double grown = draw.between(0, 1);
  f.beard = man && grown > 0.55 ? (grown - 0.35) * ramp(age, 15, 24) : 0.0;
}

}  // namespace

Face make_face(std::uint64_t seed, std::int64_t item, int age) {
  Draw draw(seed, item);
  Face f;
  set_scene(f, draw);
  // The apparent age, which is off by about 6% of the age and a year.
  const double look = std::max(0.0, age * (1 + draw.jitter(0.06)) + draw.jitter(1.0));
  set_proportions(f, look, draw);
  set_marks(f, look, draw);
  set_colours(f, age, look, draw);
  set_hair(f, look, draw);
  return f;
}

}  // namespace plumb::detail
