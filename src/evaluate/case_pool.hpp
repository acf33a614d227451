// What all cases add up to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluate/case_draws.hpp"
#include "evaluate/case_ladder_draws.hpp"
#include "evaluate/case_sums.hpp"

namespace plumb::detail {

struct NamedState {
  std::string name;
  std::int64_t cases = 0;
  EvaluateState state;
  std::optional<Ladder> ladder = {};  ///< none where there are too many slices
};

class CasePool {
 public:
  explicit CasePool(const CasesOptions& options) : options_(options), o_(options.evaluate) {}
  /// InputError before anything was added.
  void add(CaseSums c);
  [[nodiscard]] Result finish(EvaluateState* state);

 private:
  void add_ladders(const Selection& selection, Observed& observed, Result& result) const;
  void add_intervals(const Selection& selection, Observed& observed, Result& result) const;
  [[nodiscard]] FinishOptions finish_options() const {
    return {o_.bins, o_.clip, o_.leave_out, state_.classes == 2, false, o_.threads};
  }

  const CasesOptions& options_;
  const EvaluateOptions& o_;
  bool empty_ = true;
  EvaluateState state_;
  CaseLadders ladders_;  ///< without those of raters, which are with their sums
  std::optional<CaseDraws> draws_;
  std::optional<LadderDraws> ladder_draws_;
  std::vector<NamedSums> raters_, regions_;
  std::vector<std::vector<NamedState>> slices_;
  std::vector<CaseRow> cases_;
  std::int64_t even_ = 0;
};

// Sections of the result (case_sections.cpp).
void add_rater_sections(const std::vector<NamedSums>& raters, const Selection& selection,
                        const FinishOptions& finish, const EvaluateOptions& options, Result& result);
void add_region_section(const std::vector<NamedSums>& regions, const std::vector<CaseRow>& cases,
                        const Selection& selection, const FinishOptions& finish,
                        const EvaluateOptions& options, Result& result);
void add_case_slices(const std::vector<std::vector<NamedState>>& slices, const CasesOptions& options,
                     Result& result);
void add_case_rows(const std::vector<CaseRow>& cases, bool grouped, Result& result);

}  // namespace plumb::detail
