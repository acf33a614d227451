#include "io/arrow_reason.hpp"

#include <algorithm>

#include "io/text.hpp"

namespace plumb::detail {
namespace {

constexpr std::string_view kKinds[] = {
    "IOError: ",       "Invalid: ",        "Type error: ",   "Serialization error: ",
    "Out of memory: ", "Capacity error: ", "Unknown error: "};

}  // namespace

std::string arrow_reason(std::string_view said) {
  said = said.substr(0, said.find('\n'));
  for (bool more = true; more;) {
    const auto* const kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                          [&](std::string_view k) { return said.starts_with(k); });
    more = kind != std::end(kKinds);
    if (more) said.remove_prefix(kind->size());
  }
  said = said.substr(0, said.find(". "));
  while (said.ends_with('.') || said.ends_with(' ')) said.remove_suffix(1);
  return said.empty() ? "no reason was given" : visible(said);
}

}  // namespace plumb::detail
