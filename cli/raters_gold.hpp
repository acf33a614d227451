// Gold votes, against which the consensus of the raters is evaluated and calibrated.
#pragma once

#include "inputs.hpp"
#include "plumb/model/consensus.hpp"

namespace plumb::cli {

struct GoldFlags {
  Args gold, counts;
  std::string method = kGoldMethod;
  [[nodiscard]] bool given() const { return !gold.empty() || !counts.empty(); }
};
void add_gold_flags(Flags& flags, GoldFlags& out);

/// Gold votes for the items, by row.
[[nodiscard]] Votes load_gold(const GoldFlags& flags, int threads, Inputs& inputs);

}  // namespace plumb::cli
