#include "worst_cases.hpp"

#include <algorithm>
#include <map>

#include "plumb/io/case_picture.hpp"
#include "plumb/registry.hpp"

namespace plumb::cli {
namespace {

const Tree* tree_member(const Tree::Members& members, std::string_view name) {
  for (const auto& [key, tree] : members)
    if (key == name) return &tree;
  return nullptr;
}

struct CaseScore {
  std::string name;
  double value = 0;
};

/// Values of one metric, worst first.
std::vector<CaseScore> worst_first(const Tree::List& per_case, const MetricRow& row) {
  std::vector<CaseScore> out;
  for (const Tree& c : per_case) {
    const auto& members = std::get<Tree::Members>(c.node);
    const Tree* const metrics = tree_member(members, "metrics");
    const Tree* const value =
        metrics != nullptr ? tree_member(std::get<Tree::Members>(metrics->node), row.key) : nullptr;
    if (value == nullptr) continue;
    if (const auto* x = std::get_if<double>(&std::get<Value>(value->node)))
      out.push_back({std::get<std::string>(std::get<Value>(tree_member(members, "case")->node)), *x});
  }
  std::stable_sort(out.begin(), out.end(), [&](const CaseScore& a, const CaseScore& b) {
    return row.better == Better::higher ? a.value < b.value : a.value > b.value;
  });
  return out;
}

const MetricRow* judged_by(const Result& result) {
  const MetricRow* first = nullptr;
  for (const auto& [key, m] : result.metrics) {
    const MetricRow* const row = find_metric(key);
    if (key == "ece") return row;
    if (first == nullptr && row != nullptr && (row->better == Better::lower || row->better == Better::higher))
      first = row;
  }
  return first;
}

}  // namespace

void add_worst_cases(const CaseInputs& cases, Result& result) {
  const MetricRow* const row = judged_by(result);
  const Tree::List* per_case = nullptr;
  for (const auto& [name, tree] : result.sections)
    if (name == "per_case") per_case = &std::get<Tree::List>(tree.node);
  if (row == nullptr || per_case == nullptr) return;
  std::map<std::string, std::int64_t> number;
  for (const std::string& name : cases.names) number.emplace(name, std::ssize(number));
  std::vector<CaseScore> worst = worst_first(*per_case, *row);
  worst.resize(std::min<std::size_t>(worst.size(), kWorstCases));
  Tree::List list;
  for (const CaseScore& c : worst) {
    const CasePicture picture = case_picture(cases.items(number.at(c.name)));
    if (picture.uri.empty()) continue;
    list.emplace_back(Tree::Members{{"case", Tree(Value(c.name))},
                                    {"metric", Tree(Value(std::string(row->key)))},
                                    {"value", Tree(Value(c.value))},
                                    {"slice", Tree(Value(picture.slice))},
                                    {"slices", Tree(Value(picture.slices))},
                                    {"image", Tree(Value(picture.uri))}});
  }
  if (!list.empty()) result.sections.emplace_back("worst_cases", std::move(list));
}

}  // namespace plumb::cli
