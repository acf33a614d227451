#include "io/arrow_export.hpp"

#include <array>
#include <cstring>
#include <memory>

namespace plumb::detail {
namespace {

std::string validity_of(const std::vector<bool>& missing) {
  std::string bits((missing.size() + 7) / 8, '\0');
  for (std::size_t i = 0; i < missing.size(); ++i)
    if (!missing[i]) bits[i / 8] = static_cast<char>(bits[i / 8] | (1 << (i % 8)));
  return bits;
}

template <class T>
std::string laid_out(std::span<const T> values) {
  std::string bytes(values.size_bytes(), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

struct SchemaParts {
  std::string name, format;
  std::vector<ArrowSchema> fields;
  std::vector<ArrowSchema*> links;
};

/// Children lie in the parts of their parent; a consumer may have moved some of them away.
template <class T, class Parts>
void release_parts(T* t) {
  auto* const parts = static_cast<Parts*>(t->private_data);
  for (T& child : parts->fields)
    if (child.release != nullptr) child.release(&child);
  delete parts;
  t->release = nullptr;
}

ArrowSchema schema_node(const std::string& name, const std::string& format, std::vector<ArrowSchema> fields) {
  auto parts = std::make_unique<SchemaParts>(SchemaParts{name, format, std::move(fields), {}});
  for (ArrowSchema& f : parts->fields) parts->links.push_back(&f);
  ArrowSchema s{};
  s.format = parts->format.c_str();
  s.name = parts->name.c_str();
  s.flags = ARROW_FLAG_NULLABLE;
  s.n_children = static_cast<std::int64_t>(parts->links.size());
  s.children = parts->links.data();
  s.release = release_parts<ArrowSchema, SchemaParts>;
  s.private_data = parts.release();
  return s;
}

struct ArrayParts {
  ArrowOut column;
  std::vector<ArrowArray> fields;
  std::vector<ArrowArray*> links;
  std::array<const void*, 3> buffers{};
};

ArrowArray array_node(ArrowOut column, std::vector<ArrowArray> fields) {
  auto parts = std::make_unique<ArrayParts>(ArrayParts{std::move(column), std::move(fields), {}, {}});
  for (ArrowArray& f : parts->fields) parts->links.push_back(&f);
  const ArrowOut& c = parts->column;
  parts->buffers = {c.validity.empty() ? nullptr : c.validity.data(), c.values.data(), c.letters.data()};
  ArrowArray a{};
  a.length = c.length;
  a.null_count = c.validity.empty() ? 0 : -1;
  a.n_buffers = c.format == "+s" ? 1 : c.format == "u" ? 3 : 2;
  a.buffers = parts->buffers.data();
  a.n_children = static_cast<std::int64_t>(parts->links.size());
  a.children = parts->links.data();
  a.release = release_parts<ArrowArray, ArrayParts>;
  a.private_data = parts.release();
  return a;
}

}  // namespace

ArrowOut out_numbers(std::string name, std::span<const double> values, const std::vector<bool>& missing) {
  return {std::move(name), "g", std::ssize(values), validity_of(missing), laid_out(values), ""};
}

ArrowOut out_wholes(std::string name, std::span<const double> values, const std::vector<bool>& missing) {
  std::vector<std::int64_t> wholes(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (missing.empty() || !missing[i]) wholes[i] = static_cast<std::int64_t>(values[i]);
  return {std::move(name),
          "l",
          std::ssize(values),
          validity_of(missing),
          laid_out(std::span<const std::int64_t>(wholes)),
          ""};
}

ArrowOut out_texts(std::string name, std::span<const std::string> values) {
  std::vector<std::int32_t> ends{0};
  std::string letters;
  for (const std::string& s : values) {
    letters += s;
    ends.push_back(static_cast<std::int32_t>(letters.size()));
  }
  return {std::move(name),   "u", std::ssize(values), "", laid_out(std::span<const std::int32_t>(ends)),
          std::move(letters)};
}

ArrowSchema export_schema(std::span<const ArrowOut> columns) {
  std::vector<ArrowSchema> fields;
  for (const ArrowOut& c : columns) fields.push_back(schema_node(c.name, c.format, {}));
  return schema_node("", "+s", std::move(fields));
}

ArrowArray export_batch(std::vector<ArrowOut> columns) {
  ArrowOut rows;
  rows.format = "+s";
  rows.length = columns.empty() ? 0 : columns.front().length;
  std::vector<ArrowArray> fields;
  for (ArrowOut& c : columns) fields.push_back(array_node(std::move(c), {}));
  return array_node(std::move(rows), std::move(fields));
}

}  // namespace plumb::detail
