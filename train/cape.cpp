#include "train/cape.hpp"

#include "plumb/data/check.hpp"
#include "plumb/metrics/ordered/empirical.hpp"
#include "plumb/numeric/narrow.hpp"
#include "train/tensors.hpp"

namespace plumb::train {

void check_cape(const Dataset& data) {
  if (data.task != Task::classification || data.classes != 2)
    throw InputError("CaPE is defined for two classes, one outcome per item; these data are of another kind");
  if ((data.train.votes.sum(1) <= 0).any().item<bool>())
    throw InputError("CaPE needs a label for every training item, and some items of train/ have no vote");
}

torch::Tensor empirical_probabilities(const TrainOptions& o, Head head, const torch::Tensor& outputs,
                                      const torch::Tensor& votes) {
  torch::Tensor p = probabilities(head, outputs);
  if (p.dim() == 2) p = p.select(1, 1);
  const std::vector<double> forecasts = doubles_of(p);
  const std::vector<double> outcomes = doubles_of(votes.select(1, 1) / votes.sum(1));
  const int threads = narrow<int>(o.threads);
  const std::vector<double> e =
      o.method == "cape-bin"
          ? empirical_by_bins(forecasts, outcomes, narrow<int>(o.cape_bins), threads)
          : empirical_by_kernel(forecasts, outcomes,
                                narrow<int>(std::min<std::int64_t>(o.cape_neighbours, votes.size(0))),
                                o.cape_sigma, threads);
  return torch::tensor(e, torch::kFloat64).to(torch::kFloat32);
}

}  // namespace plumb::train
