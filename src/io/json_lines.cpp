#include "plumb/io/json_lines.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <unordered_map>

#include "io/csv_table.hpp"
#include "io/json_reader.hpp"
#include "io/text.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb {
namespace {

using namespace detail;

constexpr std::int64_t kLinesLookedAt = 1000;
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

/// A value that is not a number, where the caller would also take text.
struct TextInJson {};

struct JsonColumn {
  std::string name;
  std::int64_t width = 1;
  bool list = false, seen = false;
};

/// The lines that hold something, in pieces.
struct JsonTable {
  std::string name;
  std::string_view whole;
  std::vector<CsvChunk> chunks;
  std::int64_t rows = 0;
  bool blank = false;  ///< some lines hold nothing
  std::vector<JsonColumn> columns;

  [[noreturn]] void refuse(std::int64_t row, const char* at, const std::string& what) const {
    const auto line = 1 + std::count(whole.data(), at, '\n');
    throw InputError(name + ", row " + std::to_string(row) + " (line " + std::to_string(line) + ")" + what);
  }
};

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

/// f(row, line) for the lines of a chunk that hold something; stops when f gives false.
template <class F>
void for_each_line(const CsvChunk& chunk, F&& f) {
  std::int64_t row = chunk.row;
  for (const char* p = chunk.begin; p != chunk.end;) {
    const char* const stop = std::find(p, chunk.end, '\n');
    const std::string_view line(p, stop - p);
    p = stop == chunk.end ? stop : stop + 1;
    if (is_blank(line)) continue;
    if (!f(row, line)) return;
    ++row;
  }
}

JsonTable open_lines(std::span<const std::byte> bytes, const std::string& name, std::size_t chunk_bytes,
                     int threads) {
  JsonTable t;
  t.name = name;
  t.whole = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  if (t.whole.starts_with("\xff\xfe") || t.whole.starts_with("\xfe\xff"))
    throw InputError(name + " is UTF-16 text; save it as UTF-8");
  if (t.whole.starts_with("\xef\xbb\xbf")) t.whole.remove_prefix(3);
  const std::size_t first = t.whole.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) throw InputError(name + " holds no line");
  if (t.whole[first] == '[')
    throw InputError(name + " is one JSON array; write one object per line, for example with jq -c '.[]'");
  // A newline always ends a line: inside of texts it is written \n.
  const char* const end = t.whole.data() + t.whole.size();
  for (const char* p = t.whole.data(); p != end;) {
    const char* const far = end - p > static_cast<std::ptrdiff_t>(chunk_bytes) ? p + chunk_bytes : end;
    const char* stop = std::find(far, end, '\n');
    if (stop != end) ++stop;
    t.chunks.push_back({p, stop, 0, 0});
    p = stop;
  }
  std::atomic<bool> blank{false};
  parallel_blocks(std::ssize(t.chunks), 1, threads, [&](int, std::int64_t i, std::int64_t) {
    CsvChunk& c = t.chunks[i];
    std::int64_t lines = std::count(c.begin, c.end, '\n') + (c.end[-1] != '\n' ? 1 : 0);
    for_each_line(c, [&](std::int64_t, std::string_view) { return ++c.rows != 0; });
    if (lines != c.rows) blank = true;
  });
  t.blank = blank;
  for (CsvChunk& c : t.chunks) {
    c.row = t.rows;
    t.rows += c.rows;
  }
  return t;
}

/// Reads one line; errors in a line are reported for that line.
template <class Leaf>
void read_line(const JsonTable& t, std::int64_t row, std::string_view line, Leaf leaf) {
  JsonReader<Leaf> reader(line, leaf);
  if (const char* fault = reader.read(); *fault != 0) t.refuse(row, line.data(), std::string(" ") + fault);
}

/// Names and widths of the columns, from the first lines.
void find_columns(JsonTable& t) {
  std::int64_t looked_at = 0;
  std::unordered_map<std::string, std::size_t> known;
  for (const CsvChunk& chunk : t.chunks) {
    for_each_line(chunk, [&](std::int64_t row, std::string_view line) {
      std::int64_t width = 0;
      read_line(t, row, line, [&](const JsonLeaf& leaf) {
        const auto [at, fresh] = known.try_emplace(std::string(leaf.path), t.columns.size());
        if (fresh) t.columns.push_back({std::string(leaf.path), 1, false, false});
        JsonColumn* const it = &t.columns[at->second];
        if (leaf.depth > 0) {
          width += leaf.depth == 1 && leaf.kind != JsonKind::list_end ? 1 : 0;
          return;
        }
        if (leaf.kind == JsonKind::list_begin) width = 0;
        if (it->seen || leaf.kind == JsonKind::null || leaf.kind == JsonKind::list_begin) return;
        if (leaf.kind == JsonKind::list_end && width == 0) return;  // says nothing about the others
        it->seen = true;
        it->list = leaf.kind == JsonKind::list_end;
        it->width = it->list ? width : 1;
      });
      return ++looked_at < kLinesLookedAt;
    });
    if (looked_at >= kLinesLookedAt) return;
  }
}

/// The first rows in which a column holds text and a number; kNever: none.
struct FirstRows {
  std::int64_t text = kNever, number = kNever;
};

bool plain_whole_number(std::string_view text) {
  constexpr std::size_t kMostDigits = 15;
  if (text.starts_with('-') && text != "-0") text.remove_prefix(1);
  return !text.empty() && text.size() <= kMostDigits && (text[0] != '0' || text == "0") &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

double json_number(std::string_view text) {
  double value = 0;
  if (text == "true") return 1;
  if (text == "false") return 0;
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  return parse_number(text, value) == NumberText::too_large ? std::numeric_limits<double>::infinity() : value;
}

/// Fills rows of the selected columns; `Out` is double or std::string.
template <class Out>
class LineParser {
 public:
  LineParser(const JsonTable& table, const std::vector<std::size_t>& picked, const JsonLinesOptions& options)
      : t_(table), options_(options) {
    for (const std::size_t c : picked) {
      index_.emplace(table.columns[c].name, columns_.size());
      columns_.push_back({&table.columns[c], width_});
      width_ += table.columns[c].width;
    }
  }
  [[nodiscard]] std::int64_t width() const { return width_; }
  [[nodiscard]] bool found_missing() const { return missing_; }

  void parse(const CsvChunk& chunk, Out* out, std::vector<FirstRows>& first) const {
    std::vector<std::int64_t> filled(columns_.size());
    for_each_line(chunk, [&](std::int64_t row, std::string_view line) {
      std::fill(filled.begin(), filled.end(), -1);
      read_line(t_, row, line, [&](const JsonLeaf& leaf) {
        const auto at = index_.find(leaf.path);
        if (at == index_.end()) return;
        const std::size_t i = at->second;
        take(leaf, row, line.data(), i, out, filled[i], first[i]);
      });
      for (std::size_t i = 0; i < columns_.size(); ++i) finish(row, line.data(), i, out, filled[i]);
      out += width_;
      return true;
    });
  }

 private:
  struct Slot {
    const JsonColumn* column;
    std::int64_t at;
  };

  [[noreturn]] void refuse(std::int64_t row, const char* at, std::size_t i, const std::string& what) const {
    t_.refuse(row, at, ", column " + in_quotes(columns_[i].column->name) + what);
  }

  void take(const JsonLeaf& leaf, std::int64_t row, const char* at, std::size_t i, Out* out,
            std::int64_t& filled, FirstRows& first) const {
    const Slot& slot = columns_[i];
    if (leaf.kind == JsonKind::object || leaf.depth > 1 ||
        (leaf.depth == 1 && (leaf.kind == JsonKind::list_begin || leaf.kind == JsonKind::list_end)))
      refuse(row, at, i,
             leaf.kind == JsonKind::object ? " holds an object; select a member of it, as in a.b"
                                           : " holds lists of lists, which no flag takes; save them as .npy");
    if (leaf.kind == JsonKind::list_end) return;
    if (leaf.depth == 0 && filled >= 0) refuse(row, at, i, " occurs twice");
    if (leaf.kind == JsonKind::list_begin) {
      filled = 0;
      return;
    }
    if (leaf.kind == JsonKind::null && leaf.depth == 0) return;
    if (filled < 0) filled = 0;
    if (filled < slot.column->width) {
      if (leaf.kind == JsonKind::null) {
        missing(row, at, i, out[slot.at + filled]);
      } else {
        set(leaf, row, at, i, out[slot.at + filled], first);
      }
    }
    ++filled;
  }

  void missing(std::int64_t row, const char* at, std::size_t i, Out& cell) const {
    if constexpr (std::is_same_v<Out, std::string>) {
      cell.clear();
    } else {
      cell = std::numeric_limits<double>::quiet_NaN();
      if (options_.empty_is_nan) return;
      // A missing value is an error only when no value is text, which is known at the end.
      if (options_.want == Want::numbers) refuse(row, at, i, ": the value is missing");
      missing_ = true;
    }
  }

  void set(const JsonLeaf& leaf, std::int64_t row, const char* at, std::size_t i, Out& cell,
           FirstRows& first) const {
    const bool text = leaf.kind == JsonKind::text;
    std::int64_t& seen = text ? first.text : first.number;
    seen = std::min(seen, row);
    if constexpr (std::is_same_v<Out, std::string>) {
      cell = leaf.text;
    } else {
      if (text && options_.want == Want::numbers)
        refuse(row, at, i, ": " + in_quotes(leaf.text) + " is text, not a number");
      if (text || (options_.want == Want::names && !plain_whole_number(leaf.text))) throw TextInJson{};
      cell = json_number(leaf.text);
    }
  }

  void finish(std::int64_t row, const char* at, std::size_t i, Out* out, std::int64_t filled) const {
    const Slot& slot = columns_[i];
    const std::int64_t width = slot.column->width;
    if (filled == width) return;
    if (filled <= 0 && width == 1) return missing(row, at, i, out[slot.at]);
    if (filled < 0) refuse(row, at, i, ": the list is missing");
    refuse(row, at, i,
           " has " + counted(filled, "value") + " where the first list has " + std::to_string(width));
  }

  const JsonTable& t_;
  const JsonLinesOptions& options_;
  std::vector<Slot> columns_;
  std::unordered_map<std::string_view, std::size_t> index_;
  std::int64_t width_ = 0;
  mutable std::atomic<bool> missing_{false};
};

/// Text in one row and numbers in another: one of them is a mistake, and which one is not guessed.
void check_mixed(const JsonTable& t, const std::vector<std::size_t>& picked,
                 const std::vector<FirstRows>& first) {
  for (std::size_t i = 0; i < picked.size(); ++i) {
    const FirstRows f = first[i];
    if (f.text == kNever || f.number == kNever) continue;
    throw InputError(t.name + ", column " + in_quotes(t.columns[picked[i]].name) + " is text in row " +
                     std::to_string(f.text) + " and a number in row " + std::to_string(f.number) +
                     "; write all of its values alike");
  }
}

template <class Out>
void parse_all(const JsonTable& t, const std::vector<std::size_t>& picked, const JsonLinesOptions& options,
               Out* values) {
  const LineParser<Out> parser(t, picked, options);
  std::vector<std::vector<FirstRows>> first(resolve_threads(options.threads),
                                            std::vector<FirstRows>(picked.size()));
  parallel_blocks(std::ssize(t.chunks), 1, options.threads, [&](int worker, std::int64_t i, std::int64_t) {
    parser.parse(t.chunks[i], values + t.chunks[i].row * parser.width(), first[worker]);
  });
  if (parser.found_missing()) {
    JsonLinesOptions strict = options;
    strict.want = Want::numbers;  // to name the first missing value
    return parse_all(t, picked, strict, values);
  }
  if (options.want == Want::text) return;
  std::vector<FirstRows> all(picked.size());
  for (const auto& one : first)
    for (std::size_t c = 0; c < picked.size(); ++c)
      all[c] = {std::min(all[c].text, one[c].text), std::min(all[c].number, one[c].number)};
  check_mixed(t, picked, all);
}

/// The columns that a selection names, through the rules of a CSV's header.
std::vector<std::size_t> select(const JsonTable& t, const std::string& selection) {
  CsvTable header;
  header.name = t.name;
  for (const JsonColumn& c : t.columns) header.columns.push_back(c.name);
  return select_columns(header, selection);
}

void finish_array(const JsonTable& t, const std::vector<std::size_t>& picked, Array& a) {
  a.first_row = t.blank ? 0 : 1;
  bool lists = false;
  for (const std::size_t c : picked) {
    lists = lists || t.columns[c].list;
    a.columns.push_back(t.columns[c].name);
  }
  if (lists) a.columns.clear();  // the values of a list have no names
}

}  // namespace

std::vector<std::string> json_lines_columns(std::span<const std::byte> bytes, const std::string& name) {
  JsonTable t = open_lines(bytes, name, std::size_t{1} << 20, 1);
  find_columns(t);
  std::vector<std::string> names;
  for (const JsonColumn& c : t.columns) names.push_back(c.name);
  return names;
}

Array parse_json_lines(std::span<const std::byte> bytes, const std::string& name,
                       const std::string& selection, const JsonLinesOptions& options) {
  JsonTable t = open_lines(bytes, name, options.chunk_bytes, options.threads);
  find_columns(t);
  const std::vector<std::size_t> picked = select(t, selection);
  if (picked.empty()) throw InputError(name + " has objects without members");
  std::int64_t width = 0;
  for (const std::size_t c : picked) {
    const JsonColumn& column = t.columns[c];
    width += column.width;
    // Each value of a list takes at least two bytes of the file: this bounds the memory that a long first
    // list can request.
    if (column.list && column.width > std::ssize(t.whole) / std::max<std::int64_t>(1, t.rows))
      throw InputError(name + ", column " + in_quotes(column.name) + ": the first list has " +
                       counted(column.width, "value") + ", others have fewer");
  }
  const std::string full = selection.empty() ? name : name + ":" + selection;
  const bool list = picked.size() > 1 || (t.columns[picked[0]].list && t.columns[picked[0]].width > 1);
  const std::vector<std::int64_t> shape = list ? std::vector{t.rows, width} : std::vector{t.rows};
  // As for a CSV: an array of numbers first, and text where one of the values is.
  if (options.want != Want::text) {
    try {
      const std::shared_ptr<double[]> values(new double[t.rows * width]);
      parse_all(t, picked, options, values.get());
      Array a = view_of(std::span<const double>(values.get(), t.rows * width), shape, full);
      a.owner = values;
      finish_array(t, picked, a);
      return a;
    } catch (const TextInJson&) {  // below
    }
  }
  std::vector<std::string> values(t.rows * width);
  parse_all(t, picked, options, values.data());
  Array a = array_of(std::move(values), shape, full);
  finish_array(t, picked, a);
  return a;
}

}  // namespace plumb
