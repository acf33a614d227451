#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "data/shared/complaints.hpp"
#include "data/widen.hpp"
#include "plumb/data/check.hpp"
#include "plumb/data/items.hpp"
#include "plumb/numeric/narrow.hpp"

namespace plumb {
namespace {

/// Where a name stands in natural order: numbers by value, then text.
struct Place {
  double number = std::numeric_limits<double>::infinity();
  std::string_view text;

  explicit Place(std::string_view t) : text(t) {
    double x = 0;
    const auto end = std::from_chars(t.data(), t.data() + t.size(), x);
    if (end.ec == std::errc() && end.ptr == t.data() + t.size() && std::isfinite(x)) number = x;
  }
  friend bool operator<(const Place& a, const Place& b) {
    if (a.number != b.number) return a.number < b.number;
    // Integers beyond 2^53 may share a double: the longer one is larger.
    if (std::isfinite(a.number) && a.text.size() != b.text.size()) return a.text.size() < b.text.size();
    return a.text < b.text;
  }
};

/// Collects distinct names in the order of their first appearance.
class Collector {
 public:
  std::uint32_t code(std::string_view name) {
    const auto known = index_.find(name);
    if (known != index_.end()) return known->second;
    const auto fresh = narrow<std::uint32_t>(text.size());
    index_.emplace(text.emplace_back(name), fresh);
    return fresh;
  }
  std::vector<std::string> text;

 private:
  // Found by a part of the text of a whole file, without a copy.
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> index_;
};

template <class T>
std::string shortest(T x) {
  if constexpr (std::is_same_v<T, float>) {
    // As a reader would write the float: 0.1, not the 0.10000000149011612 that it widens to.
    char text[64];
    const auto end = std::to_chars(text, text + sizeof text, x);
    double wide = 0;
    std::from_chars(text, end.ptr, wide);
    return show(wide == 0 ? 0.0 : wide);
  } else if constexpr (std::is_same_v<T, double>) {
    return show(x == 0 ? 0.0 : x);
  } else {
    return fmt::format("{}", x);
  }
}

template <class T>
T stored(const std::byte* at, bool swapped) {
  if constexpr (std::is_same_v<T, detail::Half>) {
    std::array<std::byte, 2> b = {at[0], at[1]};
    if (swapped) std::swap(b[0], b[1]);
    return std::bit_cast<detail::Half>(b);
  } else {
    std::array<std::byte, sizeof(T)> b;
    std::copy(at, at + sizeof(T), b.begin());
    if (swapped) std::reverse(b.begin(), b.end());
    return std::bit_cast<T>(b);
  }
}

/// The names of one shard of numbers. Equal numbers are turned into text once.
void name_numbers(const Rows& rows, std::int64_t first, const Array& a, std::string_view what,
                  Collector& seen, std::vector<std::uint32_t>& out) {
  detail::with_stored_type(a.dtype, [&]<class T>(std::type_identity<T>) {
    using Value = std::conditional_t<std::is_same_v<T, detail::Half>, float, T>;
    std::unordered_map<Value, std::uint32_t> known;
    for (std::int64_t i = 0; i < a.shape[0]; ++i) {
      const T raw = stored<T>(a.data + i * a.strides[0], a.swapped);
      Value value;
      if constexpr (std::is_same_v<T, detail::Half>) {
        value = detail::widen(raw);
      } else {
        value = raw;
      }
      if (value != value)
        throw InputError(fmt::format("{} is nan; every {} needs a name", rows.where(first + i), what));
      const auto [it, fresh] = known.try_emplace(value, 0);
      if (fresh) it->second = seen.code(shortest(value));
      out.push_back(it->second);
    }
  });
}

}  // namespace

Names::Names(std::string source, std::vector<std::string> text, std::vector<std::uint32_t> text_of)
    : source_(std::move(source)), code_(std::move(text_of)) {
  std::vector<Place> place;
  place.reserve(text.size());
  for (const std::string& t : text) place.emplace_back(t);
  std::vector<std::uint32_t> order(text.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return place[a] < place[b]; });
  std::vector<std::uint32_t> rank(text.size());
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  for (std::uint32_t& c : code_) c = rank[c];
  distinct_.reserve(text.size());
  for (const std::uint32_t i : order) distinct_.push_back(std::move(text[i]));
}

Names::Names(const Rows& rows, std::string_view what) {
  if (rows.empty()) return;
  if (rows.width() != 1)
    throw InputError(fmt::format("{}; one name per item is needed", detail::shape_of(rows)));
  Collector seen;
  std::vector<std::uint32_t> code;
  code.reserve(rows.rows());
  if (rows.is_text()) {
    for (std::int64_t i = 0; i < rows.rows(); ++i) {
      if (rows.text(i).empty())
        throw InputError(fmt::format("{} is empty; every {} needs a name", rows.where(i), what));
      code.push_back(seen.code(rows.text(i)));
    }
  } else {
    std::int64_t first = 0;
    for (const Array& a : rows.shards()) {
      name_numbers(rows, first, a, what, seen, code);
      first += a.shape[0];
    }
  }
  *this = Names(rows.name(), std::move(seen.text), std::move(code));
}

std::string source_title(const std::string& source) {
  const std::size_t colon = source.find_last_of(':'), slash = source.find_last_of('/');
  if (colon != std::string::npos && (slash == std::string::npos || colon > slash) &&
      colon + 1 < source.size())
    return source.substr(colon + 1);
  const std::string file = slash == std::string::npos ? source : source.substr(slash + 1);
  const std::size_t dot = file.find_last_of('.');
  return dot == std::string::npos || dot == 0 ? file : file.substr(0, dot);
}

std::string Names::title() const { return source_title(source_); }

Names Names::gather(std::span<const std::int64_t> rows) const {
  // By rows only: many small slices of many names must not cost slices times names.
  std::vector<std::uint32_t> used;
  used.reserve(rows.size());
  for (const std::int64_t r : rows) used.push_back(code_.at(r));
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  Names out;
  out.source_ = source_;
  for (const std::uint32_t c : used) out.distinct_.push_back(distinct_[c]);
  out.code_.reserve(rows.size());
  for (const std::int64_t r : rows)
    out.code_.push_back(
        narrow<std::uint32_t>(std::lower_bound(used.begin(), used.end(), code_[r]) - used.begin()));
  return out;
}

}  // namespace plumb
