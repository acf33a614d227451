#include "report/json_text.hpp"

namespace plumb::detail {
namespace {

using Json = nlohmann::ordered_json;

// File names and class names may hold bytes that are no UTF-8; JSON may not.
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

}  // namespace

std::string json_text(const Json& value) {
  std::string out;
  append(value, "", out);
  return out + "\n";
}

}  // namespace plumb::detail
