#include "plumb/simulate/needles.hpp"

#include <algorithm>
#include <cmath>

#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/numeric/special.hpp"

namespace plumb {
namespace {

constexpr std::int64_t kFrames = 20;
constexpr const char* kSites[] = {"north", "south", "harbour"};
constexpr double kNoise = 0.3;  // millimetres, typical

/// Draw number `what` of item i.
double normal(const NeedleOptions& o, std::int64_t i, int what) {
  const double u = random_uniform(o.seed, Purpose::kDemo, 1000u + static_cast<std::uint32_t>(what),
                                  static_cast<std::uint64_t>(i));
  return normal_quantile(u + 0x1p-54);  // never 0
}

}  // namespace

Needles simulate_needles(const NeedleOptions& o) {
  Needles out;
  out.items = o.items;
  out.passes = o.passes;
  const auto n = static_cast<std::size_t>(o.items), d = static_cast<std::size_t>(Needles::kOutputs);
  const auto passes = static_cast<std::size_t>(o.passes);
  out.mean_samples.resize(passes * n * d);
  out.variance_samples.resize(passes * n * d);
  for (auto* column : {&out.targets, &out.mean, &out.aleatoric, &out.epistemic}) column->assign(n * d, 0.0);
  for (std::int64_t i = 0; i < o.items; ++i) {
    const std::int64_t patient = i / kFrames;
    const std::size_t site = static_cast<std::size_t>(patient % 5 == 4 ? 2 : patient % 2);
    out.patient.push_back("p" + std::to_string(patient));
    out.site.emplace_back(kSites[site]);
    const double blur = site == 2 ? 2.0 : 1.0;  // poor frames: the model notices half of it
    for (std::size_t j = 0; j < d; ++j) {
      const int draw = static_cast<int>(100 * j);
      const double sd = kNoise * blur * exp_portable(0.5 * normal(o, i, draw));
      const double doubt = 0.5 * sd;  // spread of the posterior mean
      const double truth = 10.0 * normal(o, i, draw + 1);
      const double centre = truth + doubt * normal(o, i, draw + 2);
      const std::size_t k = static_cast<std::size_t>(i) * d + j;
      out.targets[k] = truth + sd * normal(o, i, draw + 3);
      const double told = o.shrink * sd / std::sqrt(blur);
      for (std::size_t s = 0; s < passes; ++s) {
        const auto pass = static_cast<int>(s);
        const auto m = static_cast<float>(centre + o.shrink * doubt * normal(o, i, draw + 10 + 2 * pass));
        const auto v =
            static_cast<float>(told * told * exp_portable(0.1 * normal(o, i, draw + 11 + 2 * pass)));
        out.mean_samples[s * n * d + k] = m;
        out.variance_samples[s * n * d + k] = v;
        out.mean[k] += static_cast<double>(m) / static_cast<double>(passes);
        out.aleatoric[k] += static_cast<double>(v) / static_cast<double>(passes);
      }
      for (std::size_t s = 0; s < passes; ++s) {
        const double off = static_cast<double>(out.mean_samples[s * n * d + k]) - out.mean[k];
        out.epistemic[k] += off * off / static_cast<double>(passes);
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
