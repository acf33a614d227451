#include "report/text_table.hpp"

#include <algorithm>
#include <cstdint>
#include <sstream>

namespace plumb::detail {
namespace {

bool continues(char c) { return (c & 0xC0) == 0x80; }  // a later byte of a character

}  // namespace

std::size_t text_width(const std::string& text) {
  return text.size() - std::count_if(text.begin(), text.end(), continues);
}

std::string printable(const std::string& text, std::size_t width) {
  std::string out = text;
  for (char& c : out)
    if ((c >= 0 && c < 0x20) || c == 0x7f) c = '?';
  if (text_width(out) <= width) return out;
  std::size_t end = 0, kept = 0;
  while (end < out.size() && (continues(out[end]) || kept < width - 3)) kept += continues(out[end++]) ? 0 : 1;
  return out.substr(0, end) + "...";
}

std::string wrap(const std::string& text, int width, const std::string& hang) {
  std::istringstream words(text);
  std::string word, out;
  std::int64_t at = 0;
  while (words >> word) {
    const std::int64_t w = text_width(word);
    if (at > 0 && at + 1 + w > std::max(width, 20)) {
      out += "\n" + hang;
      at = hang.size();
    } else if (at > 0) {
      out += ' ';
      ++at;
    }
    out += word;
    at += w;
  }
  return out;
}

std::string bold(const std::string& text, bool colour) {
  return colour ? "\x1b[1m" + text + "\x1b[0m" : text;
}
std::string dim(const std::string& text, bool colour) { return colour ? "\x1b[2m" + text + "\x1b[0m" : text; }

std::string TextTable::render(bool colour, int width) const {
  std::vector<std::size_t> columns, widths;
  for (std::size_t c = 0; c < header_.size(); ++c) {
    std::size_t w = 0;
    for (const auto& row : rows_) w = std::max(w, text_width(row[c]));
    if (w == 0) continue;
    columns.push_back(c);
    widths.push_back(std::max(w, text_width(header_[c])));
  }
  const auto line = [&](const std::vector<std::string>& row) {
    std::string out;
    std::size_t used = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const bool last = i + 1 == columns.size() && !right_[columns[i]];
      const std::size_t room = std::max(width, 40);
      if (last && wraps_) {
        const std::string hang(used + 2, ' ');
        const std::size_t rest = std::max<std::size_t>(room - std::min(room, used + 2), 20);
        // wrap() counts the hanging spaces as part of the following lines.
        out += "  " + wrap(row[columns[i]], rest, "");
        for (std::size_t at = out.find('\n'); at != std::string::npos;
             at = out.find('\n', at + 1 + hang.size()))
          out.insert(at + 1, hang);
        continue;
      }
      const std::string cell =
          last && used + 2 + widths[i] > room
              ? printable(row[columns[i]], std::max<std::size_t>(room, used + 14) - used - 2)
              : row[columns[i]];
      const std::size_t taken = text_width(cell);
      const std::string pad(widths[i] > taken ? widths[i] - taken : 0, ' ');
      out += "  ";
      out += right_[columns[i]] ? pad + cell : cell + pad;
      used += 2 + widths[i];
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return out;
  };
  std::string out = dim(line(header_), colour) + "\n";
  for (const auto& row : rows_) out += line(row) + "\n";
  return out;
}

}  // namespace plumb::detail
