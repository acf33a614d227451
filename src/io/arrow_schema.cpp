#include "io/arrow_schema.hpp"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "io/csv_table.hpp"
#include "io/text.hpp"
#include "plumb/io/arrow_stream.hpp"

namespace plumb {
namespace {

using namespace detail;

constexpr int kMostNested = 16;

struct RefusedType {
  std::string_view format, holds, remedy;
};
constexpr std::string_view kToText = "cast it to text or to a number";
// By the beginning of the format; the first row that fits counts.
constexpr RefusedType kRefused[] = {
    {"z", "binary values", "cast it to text"},
    {"Z", "binary values", "cast it to text"},
    {"vz", "binary values", "cast it to text"},
    {"w:", "binary values", "cast it to text"},
    {"d:", "decimals", "cast it to float64 or int64"},
    {"tdD", "dates", kToText},
    {"tdm", "dates", kToText},
    {"tt", "times", kToText},
    {"ts", "timestamps", kToText},
    {"tD", "durations", kToText},
    {"ti", "time intervals", kToText},
    {"+vl", "list views", "cast it to a list"},
    {"+vL", "list views", "cast it to a list"},
    {"+m", "maps", "give each key a column"},
    {"+u", "a union of types", "cast it to one type"},
    {"+r", "run-end encoded values", "decode it"},
};

std::optional<DType> number_type(std::string_view format) {
  constexpr std::string_view kLetters = "csilCSILefg";
  constexpr DType kTypes[] = {DType::i8,  DType::i16, DType::i32, DType::i64, DType::u8, DType::u16,
                              DType::u32, DType::u64, DType::f16, DType::f32, DType::f64};
  const std::size_t at = format.size() == 1 ? kLetters.find(format[0]) : std::string_view::npos;
  if (at == std::string_view::npos) return std::nullopt;
  return kTypes[at];
}

[[noreturn]] void bad_schema(const std::string& name, const std::string& why) {
  throw InputError(name + " has an Arrow schema that is not well-formed: " + why);
}

std::string_view format_text(const ArrowSchema& schema, const std::string& name) {
  if (schema.release == nullptr || schema.format == nullptr) bad_schema(name, "a field has no type");
  if (schema.n_children < 0 || (schema.n_children > 0 && schema.children == nullptr))
    bad_schema(name, "a field has no list of children");
  for (std::int64_t i = 0; i < schema.n_children; ++i)
    if (schema.children[i] == nullptr) bad_schema(name, "a child is absent");
  return schema.format;
}

std::string refusal(std::string_view format) {
  for (const RefusedType& r : kRefused)
    if (format.starts_with(r.format))
      return " holds " + std::string(r.holds) + ", which no flag takes; " + std::string(r.remedy);
  return " is of the Arrow type " + in_quotes(format) + ", which is not read; " + std::string(kToText);
}

/// Fills in the type of single values.
void set_cell(const ArrowSchema& schema, const std::string& name, ArrowColumn& column) {
  const std::string_view format = format_text(schema, name);
  if (schema.dictionary != nullptr) {
    const auto index = number_type(format);
    if (column.dictionary || !index || *index >= DType::f16) bad_schema(name, "the index of a dictionary");
    column.dictionary = true;
    column.index = *index;
    return set_cell(*schema.dictionary, name, column);
  }
  if (const auto number = number_type(format)) {
    column.cell = ArrowCell::number;
    column.dtype = *number;
  } else if (format == "b") {
    column.cell = ArrowCell::boolean;
    column.dtype = DType::u8;
  } else if (format == "u") {
    column.cell = ArrowCell::utf8;
  } else if (format == "U") {
    column.cell = ArrowCell::large_utf8;
  } else if (format == "vu") {
    column.cell = ArrowCell::utf8_view;
  } else if (format == "n") {
    column.cell = ArrowCell::null;
  } else if (format.starts_with("+l") || format.starts_with("+L") || format.starts_with("+w")) {
    column.refused = " holds lists of lists, which no flag takes; give each inner list a column";
  } else if (format == "+s") {
    column.refused =
        " holds structs within a list or a dictionary, which no flag takes; give each field a column";
  } else {
    column.refused = refusal(format);
  }
}

std::int64_t fixed_width(std::string_view format, const std::string& name) {
  std::int64_t width = 0;
  const char* const end = format.data() + format.size();
  const auto read = std::from_chars(format.data() + 3, end, width);
  if (format.size() < 4 || format[2] != ':' || read.ec != std::errc{} || read.ptr != end || width < 0 ||
      width > INT32_MAX)
    bad_schema(name, "the length of a fixed-size list");
  return width;
}

void add_field(const ArrowSchema& schema, const std::string& name, ArrowColumn column,
               std::vector<ArrowColumn>& out) {
  const std::string_view format = format_text(schema, name);
  const std::string own = schema.name == nullptr ? "" : schema.name;
  if (!valid_utf8(own)) bad_schema(name, "the name of a column is not UTF-8");
  column.name += (column.path.size() > 1 ? "." : "") + own;
  if (format == "+s") {
    if (column.path.size() >= kMostNested)
      bad_schema(name, "structs are nested in more than " + std::to_string(kMostNested) + " levels");
    for (std::int64_t i = 0; i < schema.n_children; ++i) {
      ArrowColumn child = column;
      child.path.push_back(static_cast<int>(i));
      add_field(*schema.children[i], name, std::move(child), out);
    }
    return;
  }
  const bool fixed = format.starts_with("+w");
  if (fixed || format == "+l" || format == "+L") {
    if (schema.n_children != 1)
      bad_schema(name, "a list has " + std::to_string(schema.n_children) + " children");
    column.list = fixed ? ArrowList::fixed : format == "+l" ? ArrowList::list : ArrowList::large_list;
    if (fixed) column.width = fixed_width(format, name);
    set_cell(*schema.children[0], name, column);
  } else {
    set_cell(schema, name, column);
  }
  out.push_back(std::move(column));
}

}  // namespace

std::string detail::ArrowColumn::spelled() const {
  return path.empty() ? std::string() : ", column " + in_quotes(name);
}

std::vector<ArrowColumn> detail::columns_of_schema(const ArrowSchema& schema, const std::string& name) {
  std::vector<ArrowColumn> columns;
  if (format_text(schema, name) != "+s") {  // a column by itself
    add_field(schema, name, {}, columns);
    return columns;
  }
  for (std::int64_t i = 0; i < schema.n_children; ++i) {
    ArrowColumn column;
    column.path = {static_cast<int>(i)};
    add_field(*schema.children[i], name, std::move(column), columns);
  }
  if (columns.empty()) throw InputError(name + " has no columns");
  return columns;
}

std::vector<ArrowColumn> detail::select_arrow(const std::vector<ArrowColumn>& columns,
                                              const std::string& name, const std::string& selection) {
  CsvTable header;
  header.name = name;
  for (const ArrowColumn& c : columns) header.columns.push_back(c.name);
  std::vector<ArrowColumn> picked;
  for (const std::size_t i : select_columns(header, selection)) {
    const ArrowColumn& c = columns[i];
    if (!c.refused.empty()) throw InputError(name + c.spelled() + c.refused);
    picked.push_back(c);
  }
  return picked;
}

std::vector<std::string> arrow_column_names(const ArrowSchema& schema, const std::string& name) {
  std::vector<std::string> names;
  for (const ArrowColumn& c : columns_of_schema(schema, name)) names.push_back(c.name);
  return names;
}

std::vector<int> arrow_fields(const ArrowSchema& schema, const std::string& name,
                              const std::string& selection) {
  std::vector<bool> needed(schema.n_children);
  for (const ArrowColumn& c : select_arrow(columns_of_schema(schema, name), name, selection))
    needed[c.path[0]] = true;
  std::vector<int> fields;
  for (std::size_t i = 0; i < needed.size(); ++i)
    if (needed[i]) fields.push_back(static_cast<int>(i));
  return fields;
}

}  // namespace plumb
