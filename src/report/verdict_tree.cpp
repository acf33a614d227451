// GCC 12 takes the moved-from alternatives of a variant for uninitialised (GCC bug 105562).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include "report/verdict_tree.hpp"

namespace plumb::detail {
namespace {

Tree verdict_number(const std::optional<double>& x) { return x ? Tree(Value(*x)) : Tree(Value{}); }

}  // namespace

Tree verdict_tree(const Verdict& v) {
  Tree::Members out;
  out.emplace_back("verdict", v.verdict.empty() ? Tree(Value{}) : Tree(Value(v.verdict)));
  if (!v.why.empty()) out.emplace_back("why", Value(v.why));
  if (v.verdict.empty()) return out;
  out.emplace_back("certain", Value(v.certain));
  out.emplace_back("tolerance", Value(v.tolerance));
  out.emplace_back("estimate", verdict_number(v.estimate));
  out.emplace_back("low", verdict_number(v.low));
  out.emplace_back("high", verdict_number(v.high));
  out.emplace_back("p_value", verdict_number(v.p_value));
  out.emplace_back("needed", v.needed ? Tree(Value(*v.needed)) : Tree(Value{}));
  out.emplace_back("unit", Value(v.unit));
  return out;
}

}  // namespace plumb::detail
