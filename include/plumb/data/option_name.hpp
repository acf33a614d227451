// Options in sentences. The core does not know how a front end spells an option, so it names one by a marker,
// opt("save_state") or ⟦save_state⟧ inside a literal. Whoever prints the sentence spells it: with dashes on
// the command line, save_state= in Python, .save_state in C++, in backticks in JSON.
#pragma once

#include <string>
#include <string_view>

namespace plumb {

/// The marker of an option: its name in snake_case between ⟦ and ⟧.
[[nodiscard]] std::string opt(std::string_view name);

struct Spelling {
  std::string_view before, after;
  char between_words = '_';
};
inline constexpr Spelling kBareName{"", ""};
inline constexpr Spelling kFlag{"--", "", '-'};
inline constexpr Spelling kMember{".", ""};
inline constexpr Spelling kKeyword{"", "="};

/// The sentence with every marker replaced.
[[nodiscard]] std::string spell(std::string_view sentence, const Spelling& spelling);

}  // namespace plumb
