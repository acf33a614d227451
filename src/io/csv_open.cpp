// Opening a CSV: encoding, header, and the cut into pieces that begin with a record.
#include <algorithm>

#include "io/csv_table.hpp"
#include "io/text.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb::detail {
namespace {

std::string_view without_bom(std::string_view text, const std::string& name) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    throw InputError(name + " is UTF-16 text; save it as UTF-8");
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  return text;
}

/// A first line of numbers is data without a header, except 0, 1, 2, ...
/// (as pandas names columns) or 1, 2, ...
void check_header_names(const CsvTable& t) {
  bool counts = true;
  double first = 0;
  for (std::size_t i = 0; i < t.columns.size(); ++i) {
    double v = 0;
    if (parse_number(t.columns[i], v) != NumberText::good) return;
    if (i == 0) first = v;
    counts = counts && v == first + i;
  }
  if (counts && (first == 0 || (first == 1 && t.columns.size() > 1))) return;
  throw InputError(t.name + " begins with numbers (" + in_quotes(t.columns.front()) +
                   "); the first line must name the columns");
}

/// "0.1 0.2": numbers with spaces between them.
bool spaced_numbers(std::string_view line) {
  int n = 0;
  for (line = trimmed(line); !line.empty(); line = trimmed(line)) {
    const std::size_t end = std::min(line.find(' '), line.size());
    double v = 0;
    if (parse_number(line.substr(0, end), v) != NumberText::good) return false;
    line.remove_prefix(end);
    ++n;
  }
  return n > 1;
}

/// A header whose quotes are in the wrong places is often another format.
[[noreturn]] void refuse_header(const CsvTable& t) {
  const std::string_view line = t.file_text.substr(0, t.file_text.find('\n'));
  const auto has = [&](char c) { return line.find(c) != std::string_view::npos; };
  const std::size_t first = line.find_first_not_of(" \t");
  if (first != std::string_view::npos && (line[first] == '{' || line[first] == '['))
    throw InputError(t.name + " holds JSON, not a table; name it .jsonl if it has one object per line");
  const char* const found = has(';') ? "semicolons" : has('\t') && t.delimiter != '\t' ? "tabs" : nullptr;
  if (found != nullptr && !has(t.delimiter))
    throw InputError(
        t.name + " is separated by " + found +
        "; save it with commas between the values and decimal points in the numbers (in R: write.csv, not write.csv2), or with tabs as .tsv");
  throw InputError(t.name + ", header: a quote is misplaced or never closed");
}

void read_header(CsvTable& t) {
  CsvRecord record;
  const char* p = t.file_text.data();
  const char* const end = p + t.file_text.size();
  const RecordFault fault = read_record(p, end, t.delimiter, record);
  if (fault != RecordFault::none) refuse_header(t);
  for (const CsvField& f : record.fields) {
    if (std::size_t cr = f.text.find('\r'); cr != std::string_view::npos && f.text.substr(cr, 2) != "\r\n")
      throw InputError(t.name + " has carriage returns as line endings; save it with standard line endings");
    if (f.text.find('\0') != std::string_view::npos)
      throw InputError(t.name + " is not text: its header holds zero bytes");
    if (!valid_utf8(f.text))
      throw InputError(t.name + ": the header is not UTF-8 text; save the file as UTF-8");
    t.columns.emplace_back(trimmed(f.text));
  }
  if (t.columns.size() == 1) {
    const std::string& only = t.columns.front();
    if (only.empty())
      throw InputError(t.name + " begins with a blank line; the first line must name the columns");
    const char* found = only.find(';') != std::string::npos                          ? "semicolons"
                        : only.find('\t') != std::string::npos                       ? "tabs"
                        : t.delimiter == '\t' && only.find(',') != std::string::npos ? "commas"
                        : spaced_numbers(only)                                       ? "spaces"
                                                                                     : nullptr;
    if (found != nullptr)
      throw InputError(t.name + " is separated by " + found + "; save it with " +
                       (t.delimiter == '\t' ? "tabs" : "commas (or tabs, as .tsv)") + " between the values");
  }
  check_header_names(t);
  t.body = std::string_view(p, end - p);
  const std::size_t last = t.body.find_last_not_of(" \r\n");
  t.body = t.body.substr(0, last == std::string_view::npos ? 0 : last + 1);
  t.first_line = 1 + std::count(t.file_text.data(), p, '\n');
}

/// Where pieces begin: at the first record that begins in each stretch of chunk_bytes. Whether a newline ends
/// a record is told by the number of quotes before it, which holds because the records themselves are later
/// read strictly.
std::vector<const char*> piece_starts(const CsvTable& t, std::size_t chunk_bytes, int threads) {
  const std::int64_t stretches = (t.body.size() + chunk_bytes - 1) / chunk_bytes;
  const auto stretch = [&](std::int64_t i) { return t.body.substr(i * chunk_bytes, chunk_bytes); };
  std::vector<char> open(stretches + 1, 0);
  if (t.quotes) {
    parallel_blocks(stretches, 1, threads, [&](int, std::int64_t i, std::int64_t) {
      const std::string_view s = stretch(i);
      open[i + 1] = std::count(s.begin(), s.end(), '"') & 1;
    });
    for (std::size_t i = 1; i < open.size(); ++i) open[i] ^= open[i - 1];
  }
  std::vector<const char*> starts(stretches, nullptr);
  parallel_blocks(stretches, 1, threads, [&](int, std::int64_t i, std::int64_t) {
    const std::string_view s = stretch(i);
    bool inside = open[i] != 0;
    for (const char& c : s) {
      if (c == '"') inside = !inside;
      if (c == '\n' && !inside) {
        starts[i] = &c + 1;
        break;
      }
    }
  });
  std::erase(starts, nullptr);
  starts.insert(starts.begin(), t.body.data());
  return starts;
}

std::int64_t count_records(const CsvTable& t, const char* begin, const char* end) {
  if (!t.quotes) return std::count(begin, end, '\n');
  std::int64_t n = 0;
  bool inside = false;
  for (const char* p = begin; p != end; ++p) {
    inside ^= *p == '"';
    n += (*p == '\n') & !inside;
  }
  return n;
}

}  // namespace

CsvTable open_csv(std::span<const std::byte> bytes, const std::string& name, char delimiter,
                  std::size_t chunk_bytes, int threads) {
  CsvTable t;
  t.name = name;
  t.delimiter = delimiter;
  t.file_text = without_bom({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, name);
  read_header(t);
  if (t.body.empty()) return t;
  t.quotes = t.body.find('"') != std::string_view::npos;
  const std::vector<const char*> starts = piece_starts(t, chunk_bytes, threads);
  const char* const end = t.body.data() + t.body.size();
  for (std::size_t i = 0; i < starts.size(); ++i)
    t.chunks.push_back({starts[i], i + 1 < starts.size() ? starts[i + 1] : end, 0, 0});
  parallel_blocks(std::ssize(t.chunks), 1, threads, [&](int, std::int64_t i, std::int64_t) {
    CsvChunk& c = t.chunks[i];
    c.rows = count_records(t, c.begin, c.end);
  });
  ++t.chunks.back().rows;  // the last record has lost its newline with the blank lines at the end
  for (CsvChunk& c : t.chunks) {
    c.row = t.rows;
    t.rows += c.rows;
  }
  if (t.quotes && std::count(t.body.begin(), t.body.end(), '\n') + 1 != t.rows) t.first_line = 0;
  return t;
}

}  // namespace plumb::detail
