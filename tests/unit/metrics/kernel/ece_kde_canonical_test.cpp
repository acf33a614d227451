#include "plumb/metrics/kernel/ece_kde_canonical.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "plumb/data/check.hpp"
#include "plumb/numeric/simd.hpp"
#include "reference.hpp"

namespace plumb {
namespace {

using reference::Real;

constexpr double kDoubleSum = 1e-11;  // exponents of some hundreds in double

struct Data {
  int classes = 0;
  std::vector<double> z;
  std::vector<std::uint64_t> offset;
  std::vector<std::uint32_t> cls;
  std::vector<double> count, weight;
  [[nodiscard]] SimplexView view() const {
    return {static_cast<std::int64_t>(weight.size()), classes, z, offset, cls, count, weight, {}, true};
  }
};

// Some components are 0 when `zeros`; items have up to three votes, some none.
Data make_data(std::size_t n, int classes, bool zeros, std::uint64_t seed) {
  Data d;
  d.classes = classes;
  RandomStream r(seed, Purpose::demo);
  d.offset.push_back(0);
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    std::vector<double> row;
    for (int k = 0; k < classes; ++k) {
      row.push_back(zeros && r.below(3) == 0 && (k > 0 || r.below(2) == 0) ? 0.0 : std::exp(2 * r.normal()));
      sum += row.back();
    }
    if (sum == 0) row[0] = sum = 1;
    for (double x : row) d.z.push_back(x / sum);
    for (int k = 0; k < classes; ++k) {
      const auto c = r.below(3) == 0 ? r.below(3) : 0;
      if (c == 0) continue;
      d.cls.push_back(static_cast<std::uint32_t>(k));
      d.count.push_back(static_cast<double>(c));
    }
    d.offset.push_back(d.cls.size());
    d.weight.push_back(0.2 + r.uniform());
  }
  return d;
}

// The definition over single votes. Components that are 0 vanish together: they scale the kernel by
// e^(share/h), e -> 0.
double naive(const Data& d, double h, LeaveOut leave_out) {
  struct One {
    std::size_t item;
    std::uint32_t cls;
  };
  std::vector<One> votes;
  for (std::size_t i = 0; i + 1 < d.offset.size(); ++i) {
    for (std::size_t e = d.offset[i]; e < d.offset[i + 1]; ++e) {
      for (int c = 0; c < d.count[e]; ++c) votes.push_back({i, d.cls[e]});
    }
  }
  const auto classes = static_cast<std::size_t>(d.classes);
  Real sum = 0, mass = 0;
  for (std::size_t a = 0; a < votes.size(); ++a) {
    const double* x = &d.z[votes[a].item * classes];
    std::vector<Real> log_k(votes.size());
    std::vector<double> share(votes.size());
    double least = 2;
    const auto kept = [&](std::size_t b) {
      return leave_out == LeaveOut::vote ? a != b : votes[a].item != votes[b].item;
    };
    for (std::size_t b = 0; b < votes.size(); ++b) {
      if (!kept(b)) continue;
      const double* q = &d.z[votes[b].item * classes];
      Real l = std::log(static_cast<Real>(d.weight[votes[b].item])), total = 0;
      for (std::size_t k = 0; k < classes; ++k) {
        if (x[k] == 0) share[b] += q[k];
        if (x[k] > 0) l += q[k] / h * std::log(static_cast<Real>(x[k]));
        l -= std::lgamma(static_cast<Real>(q[k]) / h + 1);
        total += static_cast<Real>(q[k]) / h + 1;
      }
      log_k[b] = l + std::lgamma(total);
      least = std::min(least, share[b]);
    }
    Real top = -std::numeric_limits<Real>::infinity();
    for (std::size_t b = 0; b < votes.size(); ++b) {
      if (kept(b) && share[b] == least) top = std::max(top, log_k[b]);
    }
    std::vector<Real> expected(classes);
    Real all = 0;
    for (std::size_t b = 0; b < votes.size(); ++b) {
      if (!kept(b) || share[b] > least) continue;
      const Real k = std::exp(log_k[b] - top);
      expected[votes[b].cls] += k, all += k;
    }
    Real distance = 0;
    for (std::size_t k = 0; k < classes; ++k) distance += std::abs(expected[k] / all - x[k]);
    sum += d.weight[votes[a].item] * distance, mass += d.weight[votes[a].item];
  }
  return static_cast<double>(sum / mass);
}

TEST(EceKdeCanonical, AgreesWithTheDoubleSum) {
  for (bool zeros : {false, true}) {
    for (double h : {0.005, 0.1, 1.0}) {
      for (const LeaveOut leave_out : {LeaveOut::vote, LeaveOut::item}) {
        const Data d = make_data(90, 4, zeros, 71);
        const double want = naive(d, h, leave_out);
        EXPECT_NEAR(*ece_kde_canonical(d.view(), h, leave_out).value, want, kDoubleSum * want)
            << zeros << ' ' << h;
      }
    }
  }
}

// Two classes: the Dirichlet kernel is the Beta kernel, and the distance counts the gap twice.
TEST(EceKdeCanonical, OfTwoClassesIsTwiceTheBinaryError) {
  for (const std::string kind : {"uniform", "ends", "rounded", "saturated"}) {
    const std::vector<double> p = reference::column(kind, 1500, 72), y = reference::outcomes(p, 72);
    std::vector<double> z;
    std::vector<std::uint32_t> cls;
    for (std::size_t i = 0; i < p.size(); ++i) {
      z.insert(z.end(), {1 - p[i], p[i]});
      cls.push_back(static_cast<std::uint32_t>(y[i]));
    }
    SimplexView f;
    f.items = 1500, f.classes = 2, f.z = z, f.cls = cls;
    const double binary = *ece_kde({p, y, {}, {}, {}, true}, 0.02).ece_kde.value;
    // 1 - p is rounded in z but not in the binary column: near 1 their logarithms differ.
    EXPECT_NEAR(*ece_kde_canonical(f, 0.02).value, 2 * binary, 1e-9) << kind;
  }
}

TEST(EceKdeCanonical, SameBitsForAnyOrderThreadsAndTarget) {
  const Data d = make_data(1200, 5, true, 73);
  const double one = *ece_kde_canonical(d.view(), 0.05, LeaveOut::vote, 1).value;
  Data e;
  e.classes = 5;
  e.offset.push_back(0);
  for (const std::size_t i : reference::shuffled(1200, 6)) {
    e.z.insert(e.z.end(), d.z.begin() + static_cast<long>(5 * i), d.z.begin() + static_cast<long>(5 * i + 5));
    for (std::size_t v = d.offset[i]; v < d.offset[i + 1]; ++v)
      e.cls.push_back(d.cls[v]), e.count.push_back(d.count[v]);
    e.offset.push_back(e.cls.size());
    e.weight.push_back(d.weight[i]);
  }
  for (int threads : {1, 2, 16})
    EXPECT_EQ(one, *ece_kde_canonical(e.view(), 0.05, LeaveOut::vote, threads).value);
  for (const std::string& target : simd_targets()) {
    force_simd_target(target);
    EXPECT_EQ(one, *ece_kde_canonical(e.view(), 0.05, LeaveOut::vote, 2).value) << target;
  }
  force_simd_target("");
}

// Real counts (sign-flip null): with counts that are whole after all, one vote each, nothing changes.
TEST(EceKdeCanonical, RealCountsOfOneVote) {
  const std::vector<double> z{0.7, 0.2, 0.1, 0.3, 0.3, 0.4, 0.1, 0.8, 0.1}, ones(9, 1.0);
  const std::vector<std::uint32_t> cls{0, 2, 1};
  SimplexView single;
  single.items = 3, single.classes = 3, single.z = z, single.cls = cls;
  const std::vector<std::uint64_t> offset{0, 3, 6, 9};
  const std::vector<std::uint32_t> dense{0, 1, 2, 0, 1, 2, 0, 1, 2};
  const std::vector<double> count{1, 0, 0, 0, 0, 1, 0, 1, 0};
  SimplexView real{3, 3, z, offset, dense, count, {}, {}, false};
  EXPECT_NEAR(*ece_kde_canonical(single, 0.1).value, *ece_kde_canonical(real, 0.1).value, 1e-14);
}

TEST(EceKdeCanonical, Edges) {
  const std::vector<double> z{0.5, 0.5};
  const std::vector<std::uint32_t> cls{1};
  SimplexView one;
  one.items = 1, one.classes = 2, one.z = z, one.cls = cls;
  EXPECT_FALSE(ece_kde_canonical(one, 0.1));
  EXPECT_FALSE(ece_kde_canonical(SimplexView{}, 0.1));
  EXPECT_THROW((void)ece_kde_canonical(one, 0.0), InputError);
  const std::vector<double> sure{1, 0, 0, 1, 1, 0};  // one-hot rows, right
  const std::vector<std::uint32_t> right{0, 1, 0};
  SimplexView hot;
  hot.items = 3, hot.classes = 2, hot.z = sure, hot.cls = right;
  // Each of the two equal rows is judged by the other: no gap.
  // The third is judged by both, which vote the other way.
  EXPECT_NEAR(*ece_kde_canonical(hot, 0.1).value, 2.0 / 3, 1e-14);
}

}  // namespace
}  // namespace plumb
