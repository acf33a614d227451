// Arrow C streams made by hand, for the tests and the fuzz target of their reader.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "plumb/io/arrow_c.hpp"

namespace plumb::arrow_test {

/// A column, or a batch as a struct of columns. Buffers are copied to memory of just their size.
struct Node {
  std::string format, name;
  std::int64_t length = 0, null_count = -1, offset = 0;
  std::vector<std::optional<std::string>> buffers;
  std::vector<Node> children;
  std::vector<Node> dictionary;  ///< one, or none
};

inline int& alive() {
  static int count = 0;
  return count;
}

struct Held {
  std::string format, name;
  std::vector<std::vector<char>> memory;
  std::vector<const void*> buffers;
};

template <class T>
void release(T* t) {
  for (std::int64_t i = 0; i < t->n_children; ++i) {
    if (t->children[i] == nullptr) continue;
    if (t->children[i]->release != nullptr) t->children[i]->release(t->children[i]);
    delete t->children[i];
  }
  delete[] t->children;
  if (t->dictionary != nullptr) {
    if (t->dictionary->release != nullptr) t->dictionary->release(t->dictionary);
    delete t->dictionary;
  }
  delete static_cast<Held*>(t->private_data);
  t->release = nullptr;
  --alive();
}

inline void fill(const Node& n, Held& held, ArrowSchema& out) {
  held.format = n.format;
  held.name = n.name;
  out.format = held.format.c_str();
  out.name = held.name.c_str();
  out.flags = ARROW_FLAG_NULLABLE;
}

inline void fill(const Node& n, Held& held, ArrowArray& out) {
  for (const auto& b : n.buffers) {
    const std::string bytes = b.value_or("");
    held.memory.emplace_back(bytes.begin(), bytes.end());
    const void* const at =
        held.memory.back().empty() ? "" : static_cast<const void*>(held.memory.back().data());
    held.buffers.push_back(b ? at : nullptr);  // a vector's bytes stay where they are when vectors move
  }
  out.length = n.length;
  out.null_count = n.null_count;
  out.offset = n.offset;
  out.n_buffers = static_cast<std::int64_t>(n.buffers.size());
  out.buffers = held.buffers.empty() ? nullptr : held.buffers.data();
}

template <class T>
void export_to(const Node& n, T* out) {
  *out = T{};
  auto* const held = new Held;
  fill(n, *held, *out);
  out->n_children = static_cast<std::int64_t>(n.children.size());
  out->children = new T*[n.children.size() + 1];
  for (std::size_t i = 0; i < n.children.size(); ++i) {
    out->children[i] = new T;
    export_to(n.children[i], out->children[i]);
  }
  if (!n.dictionary.empty()) {
    out->dictionary = new T;
    export_to(n.dictionary[0], out->dictionary);
  }
  out->private_data = held;
  out->release = release<T>;
  ++alive();
}

/// Batches of one schema; `fail_at` is the batch that cannot be had.
struct Stream {
  std::vector<Node> batches;  ///< the first one also gives the schema
  std::size_t at = 0, fail_at = static_cast<std::size_t>(-1);

  [[nodiscard]] ArrowArrayStream start() {
    ArrowArrayStream s{};
    s.private_data = this;
    s.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
      export_to(static_cast<Stream*>(self->private_data)->batches.at(0), out);
      return 0;
    };
    s.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
      auto& own = *static_cast<Stream*>(self->private_data);
      *out = ArrowArray{};
      if (own.at == own.fail_at) return 5;
      if (own.at < own.batches.size()) export_to(own.batches[own.at++], out);
      return 0;
    };
    s.get_last_error = [](ArrowArrayStream*) { return "the disk is gone\nand more"; };
    s.release = [](ArrowArrayStream* self) {
      --alive();
      self->release = nullptr;
    };
    ++alive();
    return s;
  }
};

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string s(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(s.data(), values.data(), s.size());
  return s;
}

inline std::string bits_of(const std::vector<bool>& bits) {
  std::string s((bits.size() + 7) / 8, '\0');
  for (std::size_t i = 0; i < bits.size(); ++i)
    if (bits[i]) s[i / 8] = static_cast<char>(s[i / 8] | (1 << (i % 8)));
  return s;
}

template <class T>
Node numbers(const std::string& name, const std::string& format, const std::vector<T>& values,
             const std::vector<bool>& valid = {}) {
  Node n{format, name, static_cast<std::int64_t>(values.size()), -1, 0, {}, {}, {}};
  n.buffers = {valid.empty() ? std::nullopt : std::optional(bits_of(valid)), bytes_of(values)};
  return n;
}

template <class Offset = std::int32_t>
Node texts(const std::string& name, const std::vector<std::string>& values,
           const std::vector<bool>& valid = {}) {
  std::vector<Offset> ends{0};
  std::string all;
  for (const std::string& s : values) {
    all += s;
    ends.push_back(static_cast<Offset>(all.size()));
  }
  Node n{sizeof(Offset) == 4 ? "u" : "U", name, static_cast<std::int64_t>(values.size()), -1, 0, {}, {}, {}};
  n.buffers = {valid.empty() ? std::nullopt : std::optional(bits_of(valid)), bytes_of(ends), all};
  return n;
}

inline Node batch(std::vector<Node> columns) {
  Node n{"+s", "", columns.empty() ? 0 : columns[0].length, 0, 0, {std::nullopt}, {}, {}};
  n.children = std::move(columns);
  return n;
}

}  // namespace plumb::arrow_test
