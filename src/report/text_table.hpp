// Columns of text that line up.
#pragma once

#include <string>
#include <vector>

namespace plumb::detail {

/// What a terminal can safely show: control characters become '?'. At most `width` characters, the
/// cut marked "...".
[[nodiscard]] std::string printable(const std::string& text, std::size_t width = 1000);
/// Characters, not bytes, of UTF-8 text.
[[nodiscard]] std::size_t text_width(const std::string& text);
/// Breaks at spaces; lines after the first begin with `hang`.
[[nodiscard]] std::string wrap(const std::string& text, int width, const std::string& hang);
[[nodiscard]] std::string bold(const std::string& text, bool colour);
[[nodiscard]] std::string dim(const std::string& text, bool colour);

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header)
      : header_(std::move(header)), right_(header_.size(), false) {}
  void right(std::size_t column) { right_[column] = true; }  ///< numbers
  void wrap_last() { wraps_ = true; }                        ///< instead of cutting it
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// Two spaces before each column; columns without any text are left out; the last is cut to fit the width.
  [[nodiscard]] std::string render(bool colour, int width) const;

 private:
  std::vector<std::string> header_;
  std::vector<bool> right_;
  bool wraps_ = false;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace plumb::detail
