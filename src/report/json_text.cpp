#include "report/json_text.hpp"

#include <algorithm>
#include <array>
#include <regex>

namespace plumb::detail {
namespace {

using Json = nlohmann::ordered_json;

// File names and class names may hold bytes that are not UTF-8; JSON may not.
std::string plain(const Json& v) { return v.dump(-1, ' ', false, Json::error_handler_t::replace); }

bool holds_only_plain(const Json& v) {
  for (const Json& e : v)
    if (e.is_structured()) return false;
  return true;
}

void append(const Json& v, const std::string& indent, std::string& out) {
  if (!v.is_structured() || v.empty()) {
    out += plain(v);
    return;
  }
  const bool one_line = holds_only_plain(v);
  const std::string inner = indent + "  ";
  out += v.is_object() ? '{' : '[';
  bool first = true;
  for (auto it = v.begin(); it != v.end(); ++it) {
    if (!first) out += one_line ? ", " : ",";
    first = false;
    if (!one_line) out += "\n" + inner;
    if (v.is_object()) out += plain(Json(it.key())) + ": ";
    append(*it, inner, out);
  }
  if (!one_line) out += "\n" + indent;
  out += v.is_object() ? '}' : ']';
}

/// The members that hold sentences.
constexpr std::array kSentences{"why", "interval_why", "outcome", "notes"};

template <class Replace>
void change_sentences(Json& at, bool sentence, Replace replace) {
  if (at.is_string()) {
    if (sentence) at = replace(at.get_ref<const std::string&>());
    return;
  }
  if (!at.is_structured()) return;
  for (auto it = at.begin(); it != at.end(); ++it)
    change_sentences(
        *it, at.is_object() ? std::count(kSentences.begin(), kSentences.end(), it.key()) > 0 : sentence,
        replace);
}

/// `name` -> ⟦name⟧.
std::string with_markers(const std::string& sentence) {
  static const std::regex kQuoted("`([a-z0-9_]+)`");
  return std::regex_replace(sentence, kQuoted, opt("$1"));
}

}  // namespace

void quote_options(Json& result) {
  change_sentences(result, false, [](const std::string& s) { return spell(s, {"`", "`"}); });
}

void spell_options(Json& result, const Spelling& spelling) {
  change_sentences(result, false, [&](const std::string& s) { return spell(with_markers(s), spelling); });
}

std::string json_text(const Json& value) {
  std::string out;
  append(value, "", out);
  return out + "\n";
}

}  // namespace plumb::detail
