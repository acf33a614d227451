// The check_* family: every error about input is one sentence that says where, what was found, what was
// expected and what to do. Thrown as InputError, which the command line turns into exit code 2.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/data/option_name.hpp"

namespace plumb {

/// Bad input or usage, in one sentence. what() spells options as in C++ (.bins); front ends take sentence()
/// and use their own spelling. It becomes ValueError in Python.
class InputError : public std::invalid_argument {
 public:
  explicit InputError(const std::string& sentence)
      : std::invalid_argument(spell(sentence, kMember)), sentence_(sentence) {}
  [[nodiscard]] const std::string& sentence() const noexcept { return sentence_; }

 private:
  std::string sentence_;
};

/// "1 value", "3 values", "2 passes".
[[nodiscard]] std::string counted(std::int64_t n, std::string_view noun);
/// A number as a person would write it: the shortest text that parses to the same value.
[[nodiscard]] std::string show(double x);
/// "10000 x 10".
[[nodiscard]] std::string show_shape(std::span<const std::int64_t> shape);
/// "a, b, c".
[[nodiscard]] std::string separated(std::span<const std::string> parts, std::string_view by = ", ");
/// The nearest of `known` to `given` by edit distance, or one that begins with it, ignoring case, as ' (did
/// you mean "probs"?)', or "" when none is close.
[[nodiscard]] std::string did_you_mean(std::string_view given, std::span<const std::string> known);

/// Every name once, and as many as there are classes.
void check_class_names(std::span<const std::string> names, int classes);
/// "probs.npy has 3 rows but labels.npy has 4": items are matched by position.
void check_same_rows(std::string_view what_a, std::int64_t rows_a, std::string_view what_b,
                     std::int64_t rows_b);
void check_bins(std::int64_t bins);             ///< 1 <= bins <= 1e6
void check_level(double level);                 ///< 0 < level < 1
void check_bootstrap(std::int64_t replicates);  ///< 0 <= replicates <= 1e6
void check_threads(std::int64_t threads);       ///< 0 <= threads <= 256

}  // namespace plumb
