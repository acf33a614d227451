// Labels repeat a few texts, and comparing with one that was seen is faster than hashing it again.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace plumb::detail {

/// Some of the texts that were remembered, with their values. The texts must stay where they are.
class RecentTexts {
 public:
  /// Null when the text is not among them.
  [[nodiscard]] const std::int32_t* find(std::string_view text) const {
    const Slot& s = slots_[place(text)];
    return s.used && s.text == text ? &s.value : nullptr;
  }
  void remember(std::string_view text, std::int32_t value) { slots_[place(text)] = {text, value, true}; }

 private:
  struct Slot {
    std::string_view text;
    std::int32_t value = 0;
    bool used = false;
  };
  static constexpr std::size_t kSlots = 256;

  static std::size_t place(std::string_view text) {
    if (text.empty()) return 0;
    const auto letter = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    return (text.size() * 7 + letter(0) * 31u + letter(text.size() / 2) * 11u + letter(text.size() - 1)) %
           kSlots;
  }

  std::array<Slot, kSlots> slots_{};
};

}  // namespace plumb::detail
