#include "plumb/data/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "plumb/data/digits.hpp"
#include "plumb/data/utf8.hpp"

namespace plumb {
namespace {

/// Edits (insert, delete, replace, swap of neighbours) that turn a into b.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(now);
  }
  return last[b.size()];
}

std::string in_small_letters(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
  return out;
}

void check_between(std::string_view what, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value < low || value > high)
    throw InputError(fmt::format("{} is {}; it must be between {} and {}", what, value, low, high));
}

}  // namespace

std::string thousands(std::int64_t n) {
  std::string s = std::to_string(n);
  for (std::int64_t at = std::ssize(s) - 3; at > (n < 0 ? 1 : 0); at -= 3) s.insert(at, ",");
  return s;
}

std::string counted(std::int64_t n, std::string_view noun) {
  return fmt::format("{} {}{}", thousands(n), noun, n == 1 ? "" : noun.ends_with('s') ? "es" : "s");
}

std::string show(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
  // Plain digits for the sizes that people write so; the shortest of all would turn 100000 into 1e+05.
  const double size = std::fabs(x);
  const bool plain = x == 0 || (size >= 1e-5 && size < 1e16);
  char text[32];
  const auto end = plain ? std::to_chars(text, text + sizeof text, x, std::chars_format::fixed)
                         : std::to_chars(text, text + sizeof text, x, std::chars_format::scientific);
  return {text, end.ptr};
}

std::string show_shape(std::span<const std::int64_t> shape) {
  return fmt::format("{}", fmt::join(shape, " x "));
}

std::string separated(std::span<const std::string> parts, std::string_view by) {
  return fmt::format("{}", fmt::join(parts, by));
}

std::string did_you_mean(std::string_view given, std::span<const std::string> known) {
  const std::size_t near = std::max<std::size_t>(1, (given.size() + 1) / 3);
  constexpr std::size_t kBeginning = 3;  // letters of an abbreviation
  const std::string small = in_small_letters(given);
  const std::string* best = nullptr;
  std::size_t least = near + 1;
  for (const std::string& candidate : known) {
    const std::string other = in_small_letters(candidate);
    const bool begins = small.size() >= kBeginning && other.starts_with(small);
    const std::size_t distance =
        other == small ? 0 : std::min<std::size_t>(edit_distance(small, other), begins ? 1 : near + 1);
    if (distance >= least || distance >= candidate.size()) continue;  // every letter replaced: not similar
    least = distance;
    best = &candidate;
  }
  return best == nullptr ? "" : fmt::format(" (did you mean \"{}\"?)", *best);
}

void check_class_names(std::span<const std::string> names, int classes) {
  if (std::ssize(names) != classes) {
    throw InputError(fmt::format(
        "⟦classes⟧ gives {} but the predictions have {}; name every class once, in order",
        counted(std::ssize(names), "name"), classes == 1 ? "1 class" : fmt::format("{} classes", classes)));
  }
  for (const std::string& name : names)
    if (!detail::valid_utf8(name))
      throw InputError(fmt::format("⟦classes⟧ gives the name \"{}\", which is not UTF-8; write it in UTF-8",
                                   detail::visible(name)));
  std::vector<std::string> sorted(names.begin(), names.end());
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    throw InputError(
        fmt::format("⟦classes⟧ gives the name \"{}\" twice; each class needs its own name", *twice));
}

void check_same_rows(std::string_view what_a, std::int64_t rows_a, std::string_view what_b,
                     std::int64_t rows_b) {
  if (rows_a == rows_b) return;
  throw InputError(fmt::format("{} has {} but {} has {}; both must describe the same items in the same order",
                               what_a, counted(rows_a, "row"), what_b, counted(rows_b, "row")));
}

void check_bins(std::int64_t bins) { check_between("⟦bins⟧", bins, 1, 1'000'000); }

void check_threads(std::int64_t threads) { check_between("⟦threads⟧", threads, 0, 256); }

void check_bootstrap(std::int64_t replicates) {
  if (replicates < 0 || replicates > 1'000'000)
    throw InputError(fmt::format("⟦bootstrap⟧ must be between 0 and 1000000, not {}", replicates));
}

void check_level(double level) {
  if (!(level > 0 && level < 1))
    throw InputError(fmt::format(
        "⟦level⟧ is {}; a confidence level must be between 0 and 1, for example 0.95", show(level)));
}

}  // namespace plumb
