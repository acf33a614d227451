#include "plumb/data/slicing.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "plumb/data/check.hpp"
#include "plumb/data/texts.hpp"

namespace plumb {
namespace {

std::optional<double> number_in(const std::string& text) {
  double x = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), x);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size() || !std::isfinite(x)) return std::nullopt;
  return x;
}

Names named(const std::string& source, const std::vector<std::string>& labels,
            const std::vector<std::uint32_t>& code) {
  Texts texts;
  for (const std::uint32_t c : code) texts.add(labels[c]);
  texts.close();
  return Names(Rows(array_of(std::move(texts), {std::ssize(code)}, source)));
}

std::string range(double low, double high) {
  return low == high ? show(low) : show(low) + " to " + show(high);
}

/// Of each distinct name, the part that it belongs to; names are in ascending order of their numbers.
std::vector<std::uint32_t> quantile_parts(const Names& by, int quantiles) {
  std::vector<std::int64_t> items(by.distinct().size());
  for (std::int64_t i = 0; i < by.size(); ++i) ++items[by.code(i)];
  std::vector<std::uint32_t> out;
  std::int64_t below = 0;
  for (const std::int64_t n : items) {
    out.push_back(
        static_cast<std::uint32_t>(std::min<std::int64_t>(quantiles - 1, quantiles * below / by.size())));
    below += n;
  }
  return out;
}

std::vector<std::string> range_names(const std::vector<double>& edges) {
  std::vector<std::string> out{"below " + show(edges.front())};
  for (std::size_t e = 0; e + 1 < edges.size(); ++e)
    out.push_back(show(edges[e]) + " to below " + show(edges[e + 1]));
  out.push_back(show(edges.back()) + " and above");
  return out;
}

Names crossed(const std::vector<const Names*>& ways) {
  std::unordered_map<std::uint64_t, std::uint32_t>
      known;  // by the codes of all ways, as digits of one number
  std::vector<std::string> labels;
  std::vector<std::uint32_t> code;
  double combinations = 1;
  for (const Names* way : ways) combinations *= static_cast<double>(way->distinct().size());
  if (combinations > 1e18) throw InputError("too many intersections of slices; audit by fewer ways");
  for (std::int64_t i = 0; i < ways.front()->size(); ++i) {
    std::uint64_t key = 0;
    for (const Names* way : ways) key = key * way->distinct().size() + way->code(i);
    const auto [at, fresh] = known.try_emplace(key, static_cast<std::uint32_t>(labels.size()));
    if (fresh) {
      std::string label;
      for (const Names* way : ways) label += (label.empty() ? "" : ", ") + way->name(i);
      labels.push_back(label);
    }
    code.push_back(at->second);
  }
  std::string title;
  for (const Names* way : ways) title += (title.empty() ? "" : " x ") + way->title();
  return named("intersections:" + title, labels, code);
}

}  // namespace

Cut parse_cut(const std::string& text, const std::string& option) {
  const std::string usage =
      option + " takes NAME=quantile4, or NAME=40,65 with ascending numbers, not \"" + text + "\"";
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) throw InputError(usage);
  Cut out{text.substr(0, equals), 0, {}};
  const std::string how = text.substr(equals + 1), word = "quantile";
  if (how.starts_with(word)) {
    const std::optional<double> parts = number_in(how.substr(word.size()));
    if (!parts || *parts != std::floor(*parts) || *parts < 2 || *parts > 1000)
      throw InputError(option + ": the number of parts of \"" + text +
                       "\" must be a whole number from 2 to 1000");
    out.quantiles = static_cast<int>(*parts);
    return out;
  }
  for (std::size_t begin = 0; begin <= how.size();) {
    const std::size_t comma = std::min(how.find(',', begin), how.size());
    const std::optional<double> edge = number_in(how.substr(begin, comma - begin));
    if (!edge || (!out.edges.empty() && *edge <= out.edges.back())) throw InputError(usage);
    out.edges.push_back(*edge);
    begin = comma + 1;
  }
  return out;
}

Names cut_names(const Names& by, const Cut& cut) {
  std::vector<double> value;
  for (const std::string& name : by.distinct()) {
    const std::optional<double> x = number_in(name);
    if (!x)
      throw InputError(by.source() + ": \"" + name +
                       "\" is not a number and cannot be cut into ranges; leave out the cut of " + cut.name);
    value.push_back(*x);
  }
  std::vector<std::uint32_t> part;
  std::vector<std::string> labels;
  if (cut.quantiles > 0) {
    part = quantile_parts(by, cut.quantiles);
    labels.resize(cut.quantiles);
    for (std::size_t first = 0, last = 0; first < part.size(); first = last) {
      while (last < part.size() && part[last] == part[first]) ++last;
      labels[part[first]] = range(value[first], value[last - 1]);
    }
  } else {
    labels = range_names(cut.edges);
    for (const double x : value)
      part.push_back(static_cast<std::uint32_t>(std::upper_bound(cut.edges.begin(), cut.edges.end(), x) -
                                                cut.edges.begin()));
  }
  std::vector<std::uint32_t> code;
  for (std::int64_t i = 0; i < by.size(); ++i) code.push_back(part[by.code(i)]);
  return named(by.source(), labels, code);
}

std::vector<Names> with_intersections(std::span<const Names> ways, int most) {
  std::vector<Names> out(ways.begin(), ways.end());
  for (int size = 2; size <= most; ++size) {
    std::vector<bool> chosen(ways.size(), false);
    std::fill(chosen.begin(), chosen.begin() + std::min<std::ptrdiff_t>(size, std::ssize(ways)), true);
    if (size > std::ssize(ways)) break;
    do {
      std::vector<const Names*> some;
      for (std::size_t w = 0; w < ways.size(); ++w)
        if (chosen[w]) some.push_back(&ways[w]);
      out.push_back(crossed(some));
    } while (std::prev_permutation(chosen.begin(), chosen.end()));
  }
  return out;
}

}  // namespace plumb
