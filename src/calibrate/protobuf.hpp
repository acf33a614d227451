// The four elements of a protocol buffer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plumb::detail {

class Message {
 public:
  Message& number(int field, std::uint64_t value) {
    varint(static_cast<std::uint64_t>(field) << 3);
    varint(value);
    return *this;
  }
  Message& bytes(int field, std::string_view value) {
    varint(static_cast<std::uint64_t>(field) << 3 | 2);
    varint(value.size());
    text_ += value;
    return *this;
  }
  Message& message(int field, const Message& value) { return bytes(field, value.text_); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 128; value >>= 7) text_ += static_cast<char>(value | 128);
    text_ += static_cast<char>(value);
  }
  std::string text_;
};

}  // namespace plumb::detail
