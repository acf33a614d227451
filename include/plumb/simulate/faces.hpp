// Drawn faces that show an age: a substitute for the photographs of Liu et al. 2022, section 7.1, without
// real persons.
//
// Age shows through proportions (a child's low, large eyes, small nose and round head), wrinkles, lips,
// sagging lids and jaws, and greying, thinning hair. Pose, light, tones, hair, beard, glasses, background and
// noise vary from item to item, and so does how old a person looks for the age: the image tells the age to
// some years, never exactly.
#pragma once

#include <cstdint>
#include <span>

namespace plumb {

inline constexpr int kSmallestFace = 8, kLargestFace = 128;

/// The face of item `item` at `age` years (0 to 116), RGB, as 3 planes of size x size: out.size() == 3 size
/// size. A function of its arguments alone, the same bits on every machine. The same person at another size
/// is the same drawing.
void draw_face(std::uint64_t seed, std::int64_t item, int age, int size, std::span<std::uint8_t> out);

}  // namespace plumb
