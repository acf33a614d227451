#include "train/schedule.hpp"

namespace plumb::train {

double learning_rate(const TrainOptions& o, double base, const ScheduleState& s, std::int64_t epoch) {
  double rate = base * s.scale;
  if (epoch <= o.warmup) rate *= static_cast<double>(epoch) / (o.warmup + 1);
  for (const std::int64_t m : o.milestones) rate *= epoch > m ? o.milestone_factor : 1.0;
  return rate;
}

bool observe(const TrainOptions& o, ScheduleState& s, std::int64_t epoch, double loss) {
  if (loss < s.best) {
    s.best = loss;
    s.best_epoch = epoch;
    s.stale = s.since_cut = 0;
    return true;
  }
  ++s.stale;
  if (o.plateau > 0 && ++s.since_cut >= o.plateau) {
    s.scale *= o.plateau_factor;
    s.since_cut = 0;
  }
  return false;
}

bool should_stop(const TrainOptions& o, const ScheduleState& s) {
  return o.patience > 0 && s.stale >= o.patience;
}

}  // namespace plumb::train
