// One JSON object (RFC 8259) as a stream of its leaves: no tree is built. NaN and Infinity, which Python
// writes, are numbers.
#pragma once

#include <string>
#include <string_view>

namespace plumb::detail {

enum class JsonKind { null, number, boolean, text, list_begin, list_end, object };

/// A leaf of the object. `path` is the members' names with dots between them;
/// `depth` counts the lists around it.
struct JsonLeaf {
  std::string_view path;
  JsonKind kind = JsonKind::null;
  std::string_view text;  ///< of a number as it stands; of text without quotes and escapes; "true"
  int depth = 0;
};

/// Calls leaf(JsonLeaf) for every value, also for the begin and the end of each list, and for an object
/// inside of one or without members. Returns "" or what is wrong; `at` then stands there.
template <class Leaf>
class JsonReader {
 public:
  JsonReader(std::string_view text, Leaf leaf) : p_(text.data()), end_(p_ + text.size()), leaf_(leaf) {}

  /// The whole text is one object with space around it.
  [[nodiscard]] const char* read() {
    skip_space();
    if (p_ == end_ || *p_ != '{') return "is not an object in braces";
    if (const char* fault = read_object(0); *fault != 0) return fault;
    skip_space();
    return p_ == end_ ? "" : "has more than one value; write one object per line";
  }

 private:
  static constexpr int kDeepest = 64;
  static constexpr const char* kGood = "";

  void skip_space() {
    while (p_ != end_ && (*p_ == ' ' || *p_ == '\t' || *p_ == '\r')) ++p_;
  }
  void emit(JsonKind kind, std::string_view text = {}) { leaf_(JsonLeaf{path_, kind, text, lists_}); }

  const char* read_value(int depth) {
    skip_space();
    if (p_ == end_) return "ends before its object is complete";
    if (depth > kDeepest) return "is nested too deeply";
    switch (*p_) {
      case '{':
        return read_object(depth + 1);
      case '[':
        return read_list(depth + 1);
      case '"': {
        if (const char* fault = read_string(); *fault != 0) return fault;
        emit(JsonKind::text, string_);
        return kGood;
      }
      case 't':
        return read_word("true", JsonKind::boolean);
      case 'f':
        return read_word("false", JsonKind::boolean);
      case 'n':
        return read_word("null", JsonKind::null);
      case 'N':
        return read_word("NaN", JsonKind::number);
      case 'I':
        return read_word("Infinity", JsonKind::number);
      default:
        return read_number();
    }
  }

  const char* read_object(int depth) {
    ++p_;
    skip_space();
    if (lists_ > 0) emit(JsonKind::object);
    if (p_ != end_ && *p_ == '}') {
      ++p_;
      if (lists_ == 0 && depth > 0) emit(JsonKind::object);
      return kGood;
    }
    for (;;) {
      skip_space();
      if (p_ == end_ || *p_ != '"') return "lacks a name in quotes";
      if (const char* fault = read_string(); *fault != 0) return fault;
      const std::size_t outer = path_.size();
      if (depth > 0 && lists_ == 0) path_ += '.';
      if (lists_ == 0) path_ += string_;
      skip_space();
      if (p_ == end_ || *p_ != ':') return "lacks a colon after a name";
      ++p_;
      if (const char* fault = read_value(depth); *fault != 0) return fault;
      path_.resize(outer);
      skip_space();
      if (p_ == end_) return "ends before its object is complete";
      const char c = *p_++;
      if (c == '}') return kGood;
      if (c != ',') return "lacks a comma between members";
    }
  }

  const char* read_list(int depth) {
    ++p_;
    emit(JsonKind::list_begin);
    ++lists_;
    skip_space();
    if (p_ != end_ && *p_ == ']') {
      ++p_;
      --lists_;
      emit(JsonKind::list_end);
      return kGood;
    }
    for (;;) {
      if (const char* fault = read_value(depth); *fault != 0) return fault;
      skip_space();
      if (p_ == end_) return "ends before its object is complete";
      const char c = *p_++;
      if (c == ',') continue;
      if (c != ']') return "lacks a comma in a list";
      --lists_;
      emit(JsonKind::list_end);
      return kGood;
    }
  }

  const char* read_word(std::string_view word, JsonKind kind) {
    if (!std::string_view(p_, end_ - p_).starts_with(word)) return "contains a word that is not JSON";
    p_ += word.size();
    emit(kind, word);
    return kGood;
  }

  const char* read_number() {
    const char* const begin = p_;
    if (p_ != end_ && *p_ == '-') ++p_;
    if (std::string_view(p_, end_ - p_).starts_with("Infinity")) {
      p_ += std::string_view("Infinity").size();
      emit(JsonKind::number, "-Infinity");
      return kGood;
    }
    const auto digits = [&] {
      const char* const first = p_;
      while (p_ != end_ && *p_ >= '0' && *p_ <= '9') ++p_;
      return p_ != first;
    };
    const char* const whole = p_;
    if (!digits()) return "holds a value that is not JSON";
    if (*whole == '0' && p_ - whole > 1) return "holds a number that begins with 0";
    if (p_ != end_ && *p_ == '.') {
      ++p_;
      if (!digits()) return "holds a number without digits after the point";
    }
    if (p_ != end_ && (*p_ == 'e' || *p_ == 'E')) {
      ++p_;
      if (p_ != end_ && (*p_ == '+' || *p_ == '-')) ++p_;
      if (!digits()) return "holds a number without digits in its exponent";
    }
    emit(JsonKind::number, {begin, p_});
    return kGood;
  }

  /// Into string_; p_ is at the opening quote, on return after the closing one.
  const char* read_string();

  const char* p_;
  const char* end_;
  Leaf leaf_;
  std::string path_;
  std::string string_;
  int lists_ = 0;
};

/// Four hexadecimal digits at p.
[[nodiscard]] bool read_hex(const char*& p, const char* end, unsigned& unit);
/// The string at p (on its opening quote) without escapes; "" or what is wrong.
[[nodiscard]] const char* read_json_string(const char*& p, const char* end, std::string& out);

template <class Leaf>
const char* JsonReader<Leaf>::read_string() {
  return read_json_string(p_, end_, string_);
}

}  // namespace plumb::detail
