// A stream from arbitrary bytes. Every claim of the interface may be wrong but one: a buffer is as long as
// its array says, since a reader cannot know better.
#pragma once

#include <string_view>

#include "support/arrow_streams.hpp"

namespace plumb::arrow_test {

class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : rest_(bytes) {}
  unsigned next() {
    if (rest_.empty()) return 0;
    const auto c = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    return c;
  }
  int below(int n) { return static_cast<int>(next() % static_cast<unsigned>(n)); }

 private:
  std::string_view rest_;
};

/// Offsets and lengths are at most 15, lists at most 4 long, so that 4096 bytes hold every buffer.
inline Node any_node(Bytes& in, int depth) {
  static const char* const kFormats[] = {"g",    "f",     "e",  "l",       "c",  "C",    "L",    "b",
                                         "u",    "U",     "vu", "n",       "+l", "+L",   "+w:3", "+s",
                                         "tsu:", "d:9,2", "z",  "+ud:0,1", "",   "+w:x", "+vl",  "qq"};
  Node n;
  n.format = kFormats[in.below(static_cast<int>(std::size(kFormats)))];
  if (in.below(16) == 0) n.format = std::string(1, static_cast<char>(in.next()));
  n.name = std::string(1, static_cast<char>('a' + in.below(4)));
  n.length = in.below(12);
  n.offset = in.below(8) == 0 ? in.below(4) : 0;
  n.null_count = in.below(3) - 1;
  if (in.below(32) == 0) n.length = -1;
  if (in.below(32) == 0) n.length = INT64_MAX;
  const bool text = n.format == "u" || n.format == "U" || n.format == "vu";
  int buffers = n.format == "n"                          ? 0
                : n.format == "+s" || n.format[0] == '+' ? (n.format[1] == 'l' || n.format[1] == 'L' ? 2 : 1)
                : text                                   ? 3
                                                         : 2;
  if (in.below(16) == 0) buffers = in.below(5);
  for (int b = 0; b < buffers; ++b) {
    if ((b == 0 && in.below(2) == 0) || in.below(24) == 0) {
      n.buffers.emplace_back(std::nullopt);
      continue;
    }
    // Small numbers, so that offsets stay within; some are out of order or negative.
    std::string data(4096, '\0');
    const int size = n.format == "U" || n.format == "+L" ? 8 : n.format == "vu" ? 16 : 4;
    int value = 0;
    for (int i = 0; i < 32; ++i) {
      value = in.below(8) == 0 ? in.below(16) - 4 : value + 1;
      if (b == 0) value = static_cast<int>(in.next());
      data[static_cast<std::size_t>(i * size)] = static_cast<char>(value);
      for (int k = 1; k < size && b > 0 && value < 0 && size < 16; ++k)
        data[static_cast<std::size_t>(i * size + k)] = '\xff';
    }
    n.buffers.emplace_back(std::move(data));
  }
  const int children = n.format[0] == '+' ? (in.below(16) == 0  ? 0
                                             : n.format == "+s" ? 1 + in.below(2)
                                                                : 1)
                                          : 0;
  for (int c = 0; c < children && depth < 3; ++c) n.children.push_back(any_node(in, depth + 1));
  if (depth < 3 && in.below(6) == 0) n.dictionary.push_back(any_node(in, depth + 1));
  return n;
}

/// Batches of one shape: the second has the first one's types with other claims.
inline Stream any_stream(std::string_view bytes) {
  Bytes in(bytes);
  Node b{"+s", "", in.below(12), 0, 0, {std::nullopt}, {}, {}};
  const int columns = 1 + in.below(3);
  for (int c = 0; c < columns; ++c) b.children.push_back(any_node(in, 0));
  if (in.below(2) == 0)
    for (Node& c : b.children) c.length = b.length;
  Stream s;
  const bool twice = in.below(2) == 0;
  if (in.below(4) == 1) b = Node(b.children[0]);  // a column by itself
  s.batches.push_back(b);
  if (twice) s.batches.push_back(b);
  return s;
}

}  // namespace plumb::arrow_test
