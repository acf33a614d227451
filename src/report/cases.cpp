#include "plumb/report/cases.hpp"
#include "data/shared/csv_field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "report/text_table.hpp"

namespace plumb {
namespace {

const Tree* member(const Tree::Members& members, std::string_view name) {
  for (const auto& [key, tree] : members)
    if (key == name) return &tree;
  return nullptr;
}

const Tree::Members& members_of(const Tree& tree) { return std::get<Tree::Members>(tree.node); }

/// Of a leaf; empty for null. Numbers as text that reads back exactly, or for readers.
std::string leaf(const Tree& tree, bool exact) {
  const Value& v = std::get<Value>(tree.node);
  if (const auto* x = std::get_if<double>(&v))
    return exact ? fmt::format("{}", *x) : fmt::format("{:.4g}", *x);
  if (const auto* i = std::get_if<std::int64_t>(&v)) return std::to_string(*i);
  if (const auto* s = std::get_if<std::string>(&v)) return *s;
  return exact ? "" : "-";
}

constexpr std::string_view kLeading[] = {"ece",   "ece_mass", "ece_kde",  "mce",
                                         "brier", "nll",      "accuracy", "auroc"};

/// Of raters and regions, which have a row each: what fits 80 columns.
constexpr std::string_view kOfPart[] = {"ece", "ece_kde", "brier", "nll", "auroc"};

std::vector<std::string> leading(const Tree::Members& from,
                                 std::span<const std::string_view> first = kLeading) {
  std::vector<std::string> keys;
  for (const std::string_view key : first)
    if (member(from, key) != nullptr) keys.emplace_back(key);
  if (keys.empty())
    for (std::size_t i = 0; i < std::min<std::size_t>(from.size(), std::size(kLeading)); ++i)
      keys.push_back(from[i].first);
  return keys;
}

std::string spread_table(const Tree::Members& cases) {
  detail::TextTable table({"over cases", "mean", "sd", "median", "cases"});
  for (std::size_t c = 1; c < 5; ++c) table.right(c);
  for (const std::string& key : leading(cases)) {
    const Tree::Members& m = members_of(*member(cases, key));
    table.add({key, leaf(*member(m, "mean"), false), leaf(*member(m, "sd"), false),
               leaf(*member(m, "median"), false), leaf(*member(m, "cases"), false)});
  }
  return table.render(false, 100);
}

/// Overlap of each structure, mean over cases.
std::string structure_table(const Tree::Members& structures) {
  constexpr const char* kColumns[] = {"dice", "soft_dice", "volume_crps"};
  detail::TextTable table({"structure", "dice", "soft_dice", "volume_crps", "cases"});
  for (std::size_t c = 1; c < 5; ++c) table.right(c);
  for (const auto& [name, tree] : structures) {
    std::vector<std::string> row{detail::printable(name, 30)};
    std::string cases = "-";
    for (const char* column : kColumns) {
      const Tree* at = member(members_of(tree), column);
      row.push_back(at != nullptr ? leaf(*member(members_of(*at), "mean"), false) : "-");
      if (at != nullptr && cases == "-") cases = leaf(*member(members_of(*at), "cases"), false);
    }
    row.push_back(cases);
    table.add(std::move(row));
  }
  return "\n" + table.render(false, 100);
}

std::string rater_table(const Tree::Members& raters) {
  const std::vector<std::string> keys = leading(members_of(raters.front().second), kOfPart);
  std::vector<std::string> header{"against"};
  header.insert(header.end(), keys.begin(), keys.end());
  detail::TextTable table(header);
  for (std::size_t c = 1; c < header.size(); ++c) table.right(c);
  constexpr std::size_t kMost = 20;
  for (std::size_t r = 0; r < std::min(raters.size(), kMost); ++r) {
    std::vector<std::string> row{detail::printable(raters[r].first, 30)};
    for (const std::string& key : keys) {
      const Tree* at = member(members_of(raters[r].second), key);
      row.push_back(at != nullptr ? leaf(*at, false) : "-");
    }
    table.add(std::move(row));
  }
  return "\n" + table.render(false, 100);
}

std::string region_table(const Tree::Members& regions) {
  const std::vector<std::string> keys =
      leading(members_of(*member(members_of(regions.front().second), "metrics")), kOfPart);
  std::vector<std::string> header{"where", "voxels"};
  header.insert(header.end(), keys.begin(), keys.end());
  detail::TextTable table(header);
  for (std::size_t c = 1; c < header.size(); ++c) table.right(c);
  for (const auto& [name, tree] : regions) {
    const Tree::Members& own = members_of(tree);
    std::vector<std::string> row{detail::printable(name, 30), leaf(*member(own, "items"), false)};
    for (const std::string& key : keys) {
      const Tree* at = member(members_of(*member(own, "metrics")), key);
      row.push_back(at != nullptr ? leaf(*at, false) : "-");
    }
    table.add(std::move(row));
  }
  return "\n" + table.render(false, 100);
}

}  // namespace

std::string render_cases(const Result& result) {
  std::string out;
  if (const Tree* cases = member(result.sections, "cases"); cases != nullptr && !members_of(*cases).empty())
    out += "\n" + spread_table(members_of(*cases));
  if (const Tree* overlap = member(result.sections, "overlap");
      overlap != nullptr && !members_of(*overlap).empty())
    out += "\n" + spread_table(members_of(*overlap));
  if (const Tree* structures = member(result.sections, "structures"); structures != nullptr)
    out += structure_table(members_of(*structures));
  if (const Tree* raters = member(result.sections, "per_rater");
      raters != nullptr && !members_of(*raters).empty())
    out += rater_table(members_of(*raters));
  if (const Tree* regions = member(result.sections, "regions");
      regions != nullptr && !members_of(*regions).empty())
    out += region_table(members_of(*regions));
  return out;
}

std::string cases_csv(const Result& result) {
  const Tree* list = member(result.sections, "per_case");
  if (list == nullptr) return "";
  std::string out;
  for (const Tree& one : std::get<Tree::List>(list->node)) {
    const Tree::Members& c = members_of(one);
    std::string head, row;
    const auto add = [&](const std::string& name, const std::string& value) {
      head += (head.empty() ? "" : ",") + detail::csv_field(name);
      row += (row.empty() ? "" : ",") + detail::csv_field(value);
    };
    for (const auto& [name, tree] : c) {
      if (name == "metrics") {
        for (const auto& [key, value] : members_of(tree)) add(key, leaf(value, true));
      } else if (name == "overlap") {  // not what each rater has: cases may differ in raters
        for (const char* key :
             {"predicted", "expected", "raters_mean", "raters_sd", "volume_crps", "voxel_mm3"})
          add(key, leaf(*member(members_of(tree), key), true));
      } else if (name == "regions") {
        continue;  // cases differ in regions: they are in the JSON
      } else {
        add(name, leaf(tree, true));
      }
    }
    if (out.empty()) out = head + "\n";
    out += row + "\n";
  }
  return out;
}

}  // namespace plumb
