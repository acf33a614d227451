// What a case adds, as bytes.
#include <algorithm>
#include <stdexcept>

#include "evaluate/case_sums.hpp"
#include "evaluate/state_visit.hpp"
#include "plumb/metrics/raters/disagreement.hpp"
#include "plumb/metrics/raters/label_histogram.hpp"

namespace plumb::detail {

template <class Io>
void visit(Io& io, NamedSums& s) {
  fields(io, s.name, s.sums);
  visit_optional(io, s.ladder);
}

template <class Io>
void visit(Io& io, CaseLadders& l) {
  visit_optional(io, l.votes);
  visit_optional(io, l.majority);
  fields(io, l.raters, l.classes);
}

template <class Io>
void visit(Io& io, RaterOverlap& r) {
  fields(io, r.volume);
  visit_optional(io, r.dice);
  visit_optional(io, r.soft_dice);
}

template <class Io>
void visit(Io& io, CaseOverlap& o) {
  fields(io, o.predicted, o.expected, o.raters);
}

/// And of its structures, which have none of their own.
template <class Io>
void visit_structures(Io& io, std::optional<CaseOverlap>& o) {
  if (!o) return;
  io.size(o->structures);
  for (CaseOverlap& structure : o->structures) visit(io, structure);
}

template <class Io>
void visit(Io& io, KeyedValues& values) {
  io.size(values);
  for (auto& [key, value] : values) {
    fields(io, key);
    visit_optional(io, value);
  }
}

template <class Io>
void visit(Io& io, RegionRow& r) {
  fields(io, r.name, r.items, r.votes);
  visit(io, r.metrics);
}

template <class Io>
void visit(Io& io, CaseRow& r) {
  fields(io, r.name, r.unit, r.slices, r.items, r.votes, r.raters, r.voxel_mm3);
  visit(io, r.metrics);
  visit_optional(io, r.overlap);
  visit_structures(io, r.overlap);
  fields(io, r.regions);
}

template <class Io>
void visit(Io& io, CaseSums& s) {
  fields(io, s.state, s.raters, s.regions, s.row, s.even, s.ladders);
}

namespace {

constexpr std::string_view kCaseMagic = "PLUMBCAS";
constexpr std::uint32_t kCaseFormat = kStateFormat + 1;  // with the ladders of raters and regions

/// Sums that can be added to others with so many bins and classes; what was not computed is empty.
bool addable(const StreamSums& s, int bins, int classes) {
  const BinEdges edges{bins, true, {}};
  const auto table = [&](const ReliabilityTable& t) {
    return t.edges == edges && t.bins.size() == static_cast<std::size_t>(bins);
  };
  const auto shares = [](const ShareTables& t, const std::vector<BinEdges>& wanted) {
    const auto full = [&](const std::vector<ShareBin>& c) { return c.empty() || c.size() == t.size(); };
    return (t.edges.empty() || t.edges == wanted) && full(t.single) && full(t.several);
  };
  for (const ReliabilityTable& t : s.by_class)
    if (!table(t)) return false;
  const auto k = static_cast<std::size_t>(classes);
  return table(s.event) && (s.by_class.empty() || s.by_class.size() == k) &&
         shares(s.histogram, classwise_edges(classes, edges)) &&
         shares(s.disagreement, disagreement_edges(classes, edges)) &&
         (s.agreement.cls.empty() || s.agreement.cls.size() == k);
}

bool fits_raters(const std::optional<CaseOverlap>& overlap, std::size_t raters) {
  if (!overlap) return true;
  const auto fits = [&](const CaseOverlap& o) { return o.raters.size() == raters; };
  return fits(*overlap) && std::all_of(overlap->structures.begin(), overlap->structures.end(), fits);
}

bool consistent_case(const CaseSums& s) {
  const EvaluateState& e = s.state;
  constexpr int kMost = 1 << 20;
  if (e.classes < 2 || e.classes > kMost || e.bins < 1 || e.bins > kMost) return false;
  for (const auto* named : {&s.raters, &s.regions})
    for (const NamedSums& r : *named)
      if (!addable(r.sums, e.bins, e.classes)) return false;
  return addable(e.votes, e.bins, e.classes) && addable(e.consensus, e.bins, e.classes) &&
         (s.ladders.classes.empty() || s.ladders.classes.size() == static_cast<std::size_t>(e.classes)) &&
         s.ladders.raters.empty() && fits_raters(s.row.overlap, s.row.raters.size());
}

}  // namespace

std::string serialize(const CaseSums& sums) { return seal_state(kCaseMagic, kCaseFormat, sums); }

CaseSums deserialize_case(std::string_view bytes, const std::string& name) {
  const std::string damaged = name + " is damaged; delete it and start again";
  try {
    return read_state<CaseSums>(kCaseMagic, kCaseFormat, bytes, name, consistent_case);
  } catch (const InputError&) {
    throw InputError(damaged);
  } catch (const std::invalid_argument&) {
    throw InputError(damaged);
  }
}

}  // namespace plumb::detail
