// The header of a .npy file: magic, version, length, and a Python dictionary of three literals.
#include <bit>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

#include "io/text.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/npy.hpp"

namespace plumb {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMostAxes = 64;  // numpy's own limit

/// The dictionary, taken apart by hand: strings, True, False and a tuple of whole numbers are all there is.
class Literal {
 public:
  Literal(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError(name_ + ": the .npy header is damaged: " + what);
  }
  bool take(char c) {
    skip_space();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!take(c)) refuse(std::string("expected '") + c + "' before " + detail::in_quotes(rest_));
  }
  std::string_view string() {
    skip_space();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"'))
      refuse("expected a string before " + detail::in_quotes(rest_));
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) refuse("a string has no end");
    const std::string_view s = rest_.substr(1, end - 1);
    if (s.find('\\') != std::string_view::npos) refuse("unexpected escape in " + detail::in_quotes(s));
    rest_.remove_prefix(end + 1);
    return s;
  }
  bool boolean() {
    skip_space();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return value;
      }
    }
    refuse("fortran_order is neither True nor False");
  }
  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> values;
    expect('(');
    bool comma = true;
    while (!take(')')) {
      if (!comma) refuse("the shape is not a tuple of whole numbers");
      std::int64_t v = 0;
      skip_space();
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), v);
      if (error == std::errc::result_out_of_range) refuse("an extent of the shape does not fit 64 bits");
      if (error != std::errc{}) refuse("the shape is not a tuple of whole numbers");
      if (v < 0) refuse("the shape has a negative extent, " + std::to_string(v));
      rest_.remove_prefix(end - rest_.data());
      take('L');  // as Python 2 wrote long integers
      values.push_back(v);
      if (values.size() > kMostAxes) refuse("the shape has more than " + std::to_string(kMostAxes) + " axes");
      comma = take(',');
    }
    return values;
  }
  [[nodiscard]] bool at_list() {
    skip_space();
    return !rest_.empty() && rest_.front() == '[';
  }
  void expect_end() {
    skip_space();
    if (!rest_.empty()) refuse("unexpected " + detail::in_quotes(rest_) + " after the dictionary");
  }

 private:
  void skip_space() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n' || rest_.front() == '\t'))
      rest_.remove_prefix(1);
  }

  std::string_view rest_;
  const std::string& name_;
};

std::optional<DType> number_type(char kind, std::int64_t bytes) {
  if (kind == 'b' && bytes == 1) return DType::u8;  // truth values are 0 and 1
  if (kind == 'f' && bytes == 2) return DType::f16;
  if (kind == 'f' && bytes == 4) return DType::f32;
  if (kind == 'f' && bytes == 8) return DType::f64;
  if (kind != 'i' && kind != 'u') return std::nullopt;
  const bool is_signed = kind == 'i';
  if (bytes == 1) return is_signed ? DType::i8 : DType::u8;
  if (bytes == 2) return is_signed ? DType::i16 : DType::u16;
  if (bytes == 4) return is_signed ? DType::i32 : DType::u32;
  if (bytes == 8) return is_signed ? DType::i64 : DType::u64;
  return std::nullopt;
}

void parse_descr(std::string_view descr, NpyHeader& h, const std::string& name) {
  const auto refuse = [&](const std::string& what) { throw InputError(name + " " + what); };
  const std::string remedy = "; save it as numbers, for example with a.astype(\"float64\")";
  std::string_view rest = descr;
  char order = '|';
  if (!rest.empty() && std::string_view("<>|=").find(rest.front()) != std::string_view::npos) {
    order = rest.front();
    rest.remove_prefix(1);
  }
  h.kind = rest.empty() ? '?' : rest.front();
  if (h.kind == 'O')
    refuse(
        "holds Python objects, which Plumb does not load; save numbers with a.astype(\"float64\"), text with a.astype(str)");
  if (h.kind == 'c')
    refuse("holds complex numbers (" + std::string(descr) + "), which Plumb does not read" + remedy);
  if (h.kind == 'V')
    refuse("holds raw or structured records, which Plumb does not read; save each field on its own");
  if (h.kind == 'M' || h.kind == 'm') refuse("holds dates or time spans, which Plumb does not read" + remedy);
  if (!rest.empty()) rest.remove_prefix(1);
  std::int64_t units = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), units);
  const bool has_size = error == std::errc{} && end == rest.data() + rest.size() && units > 0;
  const bool text = h.kind == 'U' || h.kind == 'S';
  if (has_size && text && units <= std::numeric_limits<std::int32_t>::max()) {
    h.dtype = DType::text;
    h.item_bytes = h.kind == 'U' ? 4 * units : units;
  } else if (const auto t = has_size ? number_type(h.kind, units) : std::nullopt) {
    h.dtype = *t;
    h.item_bytes = units;
  } else {
    refuse("has the type " + detail::in_quotes(descr) + ", which Plumb does not read" + remedy);
  }
  constexpr char kNative = std::endian::native == std::endian::little ? '<' : '>';
  const bool one_byte = h.kind == 'S' || h.item_bytes == 1;
  h.swapped = !one_byte && (order == '<' || order == '>') && order != kNative;
}

/// Elements times bytes; also the extents that a zero elsewhere hides must fit, since strides are made
/// of them.
std::uint64_t checked_bytes(const NpyHeader& h, const std::string& name) {
  std::int64_t product = h.item_bytes;
  bool none = false;
  for (const std::int64_t n : h.shape) {
    none = none || n == 0;
    if (n > 0 && __builtin_mul_overflow(product, n, &product))
      throw InputError(name + ": the .npy header is damaged: its shape (" + show_shape(h.shape) +
                       ") exceeds 64 bits");
  }
  return none ? 0 : product;
}

}  // namespace

std::size_t npy_header_bytes(std::span<const std::byte> first, const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(first.data()), first.size());
  if (!text.starts_with(kMagic)) {
    if (kMagic.starts_with(text)) throw InputError(name + " ends inside its header; the file is truncated");
    throw InputError(name + " is not a NumPy file: it does not begin with the .npy signature");
  }
  if (first.size() < 8) throw InputError(name + " ends inside its header; the file is truncated");
  const auto at = [&](std::size_t i) { return std::to_integer<std::size_t>(first[i]); };
  const std::size_t major = at(6);
  if (major < 1 || major > 3 || at(7) != 0)
    throw InputError(name + " has .npy version " + std::to_string(major) + "." + std::to_string(at(7)) +
                     "; versions 1.0, 2.0 and 3.0 are known");
  const std::size_t prefix = major == 1 ? 10 : 12;
  if (first.size() < prefix) throw InputError(name + " ends inside its header; the file is truncated");
  const std::size_t length =
      major == 1 ? at(8) | at(9) << 8 : at(8) | at(9) << 8 | at(10) << 16 | at(11) << 24;
  return prefix + length;
}

NpyHeader parse_npy_header(std::span<const std::byte> bytes, const std::string& name) {
  const std::size_t total = npy_header_bytes(bytes, name);
  if (bytes.size() < total)
    throw InputError(name + " declares a header of " + std::to_string(total) + " bytes, but the file has " +
                     std::to_string(bytes.size()) + "; it is truncated or damaged");
  const std::size_t prefix = bytes[6] == std::byte{1} ? 10 : 12;
  Literal in({reinterpret_cast<const char*>(bytes.data()) + prefix, total - prefix}, name);
  NpyHeader h;
  h.data_offset = total;
  bool descr = false, fortran = false, shape = false;
  in.expect('{');
  bool comma = true;
  while (!in.take('}')) {
    if (!comma) in.refuse("its entries are not separated by commas");
    const std::string_view key = in.string();
    in.expect(':');
    if (key == "descr" && !descr) {
      if (in.at_list())
        throw InputError(name +
                         " holds structured records, which Plumb does not read; save each field on its own");
      parse_descr(in.string(), h, name);
      descr = true;
    } else if (key == "fortran_order" && !fortran) {
      h.fortran = in.boolean();
      fortran = true;
    } else if (key == "shape" && !shape) {
      h.shape = in.tuple();
      shape = true;
    } else {
      in.refuse("unexpected key " + detail::in_quotes(key));
    }
    comma = in.take(',');
  }
  in.expect_end();
  if (!descr || !fortran || !shape) in.refuse("one of descr, fortran_order and shape is missing");
  h.data_bytes = checked_bytes(h, name);
  return h;
}

}  // namespace plumb
