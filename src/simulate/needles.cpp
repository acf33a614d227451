#include "plumb/simulate/needles.hpp"

#include <cmath>

#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/numeric/special.hpp"

namespace plumb {
namespace {

constexpr std::int64_t kFrames = 20;
constexpr const char* kClinics[] = {"north", "south", "harbour"};
constexpr double kNoise = 0.3;  // millimetres, typical

/// Draw number `what` of item i.
double normal(const NeedleOptions& o, std::int64_t i, int what) {
  const double u = random_uniform(o.seed, Purpose::demo, 1000 + what, i);
  return normal_quantile(u + 0x1p-54);  // never 0
}

}  // namespace

Needles simulate_needles(const NeedleOptions& o) {
  Needles out;
  out.items = o.items;
  out.passes = o.passes;
  const std::int64_t n = o.items, d = Needles::kOutputs, passes = o.passes;
  out.mean_samples.resize(passes * n * d);
  out.variance_samples.resize(passes * n * d);
  for (auto* column : {&out.targets, &out.mean, &out.aleatoric, &out.epistemic}) column->assign(n * d, 0.0);
  for (std::int64_t i = 0; i < o.items; ++i) {
    const std::int64_t patient = i / kFrames;
    const std::int64_t site = patient % 5 == 4 ? 2 : patient % 2;
    out.patient.push_back("p" + std::to_string(patient));
    out.site.emplace_back(kClinics[site]);
    const double blur = site == 2 ? 2.0 : 1.0;  // poor frames: the model notices half of it
    for (int j = 0; j < d; ++j) {
      const int draw = 100 * j;
      const double sd = kNoise * blur * exp_portable(0.5 * normal(o, i, draw));
      const double doubt = 0.5 * sd;  // spread of the posterior mean
      const double truth = 10.0 * normal(o, i, draw + 1);
      const double centre = truth + doubt * normal(o, i, draw + 2);
      const std::int64_t k = i * d + j;
      out.targets[k] = truth + sd * normal(o, i, draw + 3);
      const double told = o.shrink * sd / std::sqrt(blur);
      for (int s = 0; s < passes; ++s) {
        const float m = centre + o.shrink * doubt * normal(o, i, draw + 10 + 2 * s);
        const float v = told * told * exp_portable(0.1 * normal(o, i, draw + 11 + 2 * s));
        out.mean_samples[s * n * d + k] = m;
        out.variance_samples[s * n * d + k] = v;
        out.mean[k] += double{m} / passes;
        out.aleatoric[k] += double{v} / passes;
      }
      for (int s = 0; s < passes; ++s) {
        const double off = out.mean_samples[s * n * d + k] - out.mean[k];
        out.epistemic[k] += off * off / passes;
      }
    }
  }
  return out;
}

Needles slice(const Needles& all, std::int64_t begin, std::int64_t end) {
  Needles out;
  out.items = end - begin;
  out.passes = all.passes;
  const std::int64_t d = Needles::kOutputs;
  const auto cut = [&](const auto& from, auto& to, std::int64_t offset, std::int64_t width) {
    to.insert(to.end(), from.begin() + offset + begin * width, from.begin() + offset + end * width);
  };
  for (const auto member : {&Needles::targets, &Needles::mean, &Needles::aleatoric, &Needles::epistemic})
    cut(all.*member, out.*member, 0, d);
  for (int s = 0; s < all.passes; ++s) {
    cut(all.mean_samples, out.mean_samples, s * all.items * d, d);
    cut(all.variance_samples, out.variance_samples, s * all.items * d, d);
  }
  cut(all.patient, out.patient, 0, 1);
  cut(all.site, out.site, 0, 1);
  return out;
}

}  // namespace plumb
