// The history of a run: losses and calibration metrics, the same keys and values as `plumb evaluate`.
#pragma once

#include <torch/torch.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "train/heads.hpp"

namespace plumb::train {

using Metrics = std::map<std::string, std::optional<double>>;

struct HistoryRow {
  std::int64_t epoch = 0;  ///< from 1, over all phases
  std::string phase;       ///< the method, or "ce" before CaPE
  std::string loss;        ///< what was minimised: "ce", "focal", ..., "calibration", "weighted"
  double lr = 0, seconds = 0;
  double refresh_seconds = 0;  ///< of these, for p_emp: CaPE's inference pass and sort
  double train_loss = 0;       ///< mean over batches of what was minimised
  bool best = false;           ///< the best validation log-loss so far
  Metrics train;               ///< from the outputs during the epoch (dropout and augmentation on)
  Metrics validation;
  Metrics test;  ///< only with --intra-training
};
using History = std::vector<HistoryRow>;

/// nll, brier, ece, accuracy, and mse_p where `truth` (N) is defined, computed by the core.
/// Outputs and votes may be images.
[[nodiscard]] Metrics classification_metrics(Head head, const torch::Tensor& outputs,
                                             const torch::Tensor& votes, const torch::Tensor& truth,
                                             int threads, bool auroc = false);
/// nll, mse, variance (mean predicted), sigma_scale, the factor of the deviation that fits these items best
/// (Laves 2021, eqs. 9 and 25), and nll_scaled. A given `scale` is used instead of that factor.
[[nodiscard]] Metrics regression_metrics(Head head, const torch::Tensor& outputs,
                                         const torch::Tensor& targets, std::optional<double> scale = {});

[[nodiscard]] std::string history_json(const History& h);
[[nodiscard]] History parse_history(const std::string& json);
/// One row per epoch; columns train_*, validation_*.
[[nodiscard]] std::string history_csv(const History& h);

}  // namespace plumb::train
