#include "plumb/data/option_name.hpp"

namespace plumb {
namespace {

constexpr std::string_view kOpen = "⟦", kClose = "⟧";

bool is_name(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

}  // namespace

std::string opt(std::string_view name) { return std::string(kOpen).append(name).append(kClose); }

std::string spell(std::string_view sentence, const Spelling& spelling) {
  std::string out;
  while (!sentence.empty()) {
    const std::size_t open = sentence.find(kOpen);
    out += sentence.substr(0, open);
    if (open == std::string_view::npos) break;
    sentence.remove_prefix(open + kOpen.size());
    const std::size_t close = sentence.find(kClose);
    const std::string_view name = sentence.substr(0, close);
    if (close == std::string_view::npos || !is_name(name)) {  // brackets that are not markers
      out += kOpen;
      continue;
    }
    out += spelling.before;
    for (const char c : name) out += c == '_' ? spelling.between_words : c;
    out += spelling.after;
    sentence.remove_prefix(close + kClose.size());
  }
  return out;
}

}  // namespace plumb
