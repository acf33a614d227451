#include "plumb/resample/resample.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "plumb/data/check.hpp"
#include "plumb/numeric/random.hpp"
#include "resample/many_votes.hpp"
#include "resample/normal_table.hpp"

namespace plumb {

std::int64_t drawable_units(const Items& items) {
  const Units units(items);
  std::set<std::uint64_t> found;
  ItemBlock block;
  for (std::int64_t begin = 0; begin < items.size(); begin += block_rows(items)) {
    read_items(items, begin, std::min(items.size(), begin + block_rows(items)), block);
    for (std::int64_t i = 0; i < block.size; ++i) {
      if (block.votes.votes(i) == 0) continue;
      if (!block.weight.empty() && block.weight[i] == 0) continue;
      found.insert(units.unit_of(begin + i));
      if (std::ssize(found) == kEnoughUnits) return kEnoughUnits;
    }
  }
  return std::ssize(found);
}

std::string few_units_note(std::int64_t units, bool grouped) {
  const std::string what = counted(units, grouped ? "group" : "item");
  if (units >= kEnoughUnits) return "";
  if (units < 2) return "no intervals and no p-values: there is only " + what + " to draw from";
  return "intervals and p-values are based on " + what +
         ": with so few they are rough, and intervals are usually too narrow";
}

std::string few_signs_note(std::int64_t units, bool grouped, double level) {
  const double least = std::ldexp(1.0, static_cast<int>(1 - std::min<std::int64_t>(units, 60)));
  if (units < 2 || least <= 1 - level) return "";
  return fmt::format("with {}, random signs can give no p-value below {}: no test can reject at {:.3g}",
                     counted(units, grouped ? "group" : "item"), least, 1 - level);
}

namespace {

/// The units of some rows where they are few: their numbers are drawn once. By open addressing.
struct FewUnits {
  static constexpr std::size_t kSlots = 256, kMost = 64;
  std::vector<std::uint64_t> unit;
  std::array<std::uint8_t, kSlots> slot{};  // 1 + place in `unit`; 0: free

  /// False when they are many.
  bool find(std::span<const std::uint64_t> units) {
    for (std::size_t i = 0; i < units.size(); ++i) {
      std::uint8_t& at = slot[slot_of(units[i])];
      if (at != 0) continue;
      if (unit.size() == kMost) return false;
      unit.push_back(units[i]);
      at = static_cast<std::uint8_t>(unit.size());
    }
    return true;
  }
  [[nodiscard]] std::size_t place(std::uint64_t u) const { return slot[slot_of(u)] - 1u; }

 private:
  [[nodiscard]] std::size_t slot_of(std::uint64_t u) const {
    std::size_t s = u % kSlots;
    while (slot[s] != 0 && unit[slot[s] - 1u] != u) s = (s + 1) % kSlots;
    return s;
  }
};

}  // namespace

void NullDraw::draw(const NullModel& model, std::uint64_t seed, std::uint32_t replicate,
                    std::span<const std::uint64_t> rows, std::span<const std::uint64_t> units) {
  seed_ = seed;
  replicate_ = replicate;
  rows_ = rows;
  signs_ = model.kind == NullKind::signs;
  if (signs_) {
    flips_.resize(rows.size());
    fill_bits(seed, Purpose::signs, replicate, units, flips_);
    return;
  }
  uniform_.resize(rows.size());
  fill_uniform(seed, Purpose::null_labels, replicate, rows, uniform_);
  if (!model.grouped) return;
  const double rho = model.groups.draw(seed, replicate);
  const double from_group = std::sqrt(rho), from_item = std::sqrt(1 - rho);
  if (rho == 0) return;
  group_.resize(units.size());
  const auto normal = [&](double u) { return from_group * detail::table_normal_quantile(u); };
  if (FewUnits few; few.find(units)) {
    std::vector<double> drawn(few.unit.size());
    fill_uniform(seed, Purpose::null_groups, replicate, few.unit, drawn);
    for (double& x : drawn) x = normal(x);
    for (std::size_t i = 0; i < units.size(); ++i) group_[i] = drawn[few.place(units[i])];
  } else {
    fill_uniform(seed, Purpose::null_groups, replicate, units, group_);
    for (double& x : group_) x = normal(x);
  }
  detail::shift_normals(group_, from_item, uniform_);
}

void NullDraw::hits(const ForecastsView& observed, const VoteCounts& votes, std::vector<double>& out) const {
  out.resize(observed.size());
  if (signs_) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double h = observed.hits[i];
      out[i] = (flips_[i] & 1) != 0 ? 2 * observed.trials_of(i) * observed.p[i] - h : h;
    }
    return;
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = votes.hits(observed, i, uniform_[i]);
}

namespace {

/// The class at u among the others than `top`, whose probabilities follow each other from `reached` on.
std::uint32_t other_class(std::span<const double> row, int top, double reached, double u) {
  int drawn = top;
  for (int k = 0; k < std::ssize(row) && u >= reached; ++k) {
    if (k == top) continue;
    reached += row[k];
    if (row[k] > 0) drawn = k;  // what rounding leaves at the end of the row falls to the last possible class
  }
  return drawn;
}

/// Votes for other classes than `top` (Blackwell and MacQueen 1973): one repeats an earlier vote, or is new.
void draw_others(std::span<const double> row, int top, std::uint32_t n, double correlation,
                 std::uint64_t bits, std::vector<std::uint32_t>& out) {
  const double fresh = (1 - correlation) * (1 - row[top]);
  out.clear();
  for (std::uint32_t m = 0; m < n; ++m) {
    // SplitMix64 (Steele, Lea, Flood 2014), seeded from the item's own stream.
    std::uint64_t x = bits += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    const double u = static_cast<double>(static_cast<std::int64_t>((x ^ (x >> 31)) >> 11)) * 0x1p-53;
    const double at = u * (fresh + m * correlation) - m * correlation;
    if (at < 0) {
      out.push_back(out[std::min(static_cast<std::uint32_t>(-at / correlation), m - 1)]);
    } else {
      out.push_back(other_class(row, top, 0, at / (1 - correlation)));
    }
  }
  std::sort(out.begin(), out.end());
}

}  // namespace

void NullDraw::classes(const ItemBlock& block, const ForecastsView& event, const VoteCounts& votes,
                       VoteBlock& out) const {
  const int width = block.z.width;
  out = VoteBlock{};
  out.size = block.size;
  out.single = block.votes.single;
  if (!out.single) out.offset.push_back(0);
  thread_local std::vector<std::uint32_t> others, counts;
  thread_local std::vector<double> chance;
  const auto append_votes = [&](std::uint32_t cls, std::uint32_t count) {
    if (count == 0) return;
    out.cls.push_back(cls);
    if (!out.single) out.count.push_back(count);
  };
  for (std::int64_t i = 0; i < block.size; ++i) {
    const std::uint32_t n = block.votes.votes(i);
    const std::span<const double> row(block.z.z.data() + i * width, width);
    if (n == 1) {
      const double u = uniform_[i];
      const int top = block.binary() ? 0 : argmax(row);
      append_votes(block.binary() ? (u < row[0] ? 1 : 0)
                   : u < row[top] ? top
                                  : other_class(row, top, row[top], u),
                   1);
    } else if (n > 1) {
      auto hits = static_cast<std::uint32_t>(votes.hits(event, i, uniform_[i]));
      if (block.binary()) {
        append_votes(0, n - hits);
        append_votes(1, hits);
      } else if (n - hits > detail::kOneByOne) {
        const int top = argmax(row);
        chance.assign(row.begin(), row.end());
        chance[top] = 0;
        // A row that misses 1 by rounding may have no other class.
        if (std::none_of(chance.begin(), chance.end(), [](double z) { return z > 0; })) hits = n;
        RandomStream random(random_bits(seed_, Purpose::null_votes, replicate_, rows_[i]),
                            Purpose::null_votes);
        detail::draw_votes_by_class(chance, votes.correlation(i), n - hits, random, counts);
        counts[top] += hits;
        for (int k = 0; k < width; ++k) append_votes(k, counts[k]);
      } else {
        const auto top = static_cast<std::uint32_t>(argmax(row));
        draw_others(row, static_cast<int>(top), n - hits, votes.correlation(i),
                    hits < n ? random_bits(seed_, Purpose::null_votes, replicate_, rows_[i]) : 0, others);
        std::size_t at = 0;
        // A row that misses 1 by rounding may have no other class.
        hits += static_cast<std::uint32_t>(std::erase(others, top));
        const auto append_until = [&](std::uint32_t end) {
          while (at < others.size() && others[at] < end) {
            const std::size_t first = at;
            while (at < others.size() && others[at] == others[first]) ++at;
            append_votes(others[first], static_cast<std::uint32_t>(at - first));
          }
        };
        append_until(top);
        append_votes(top, hits);
        append_until(static_cast<std::uint32_t>(width));
      }
    }
    if (out.single) continue;
    out.total.push_back(n);
    out.offset.push_back(static_cast<std::uint32_t>(out.cls.size()));
  }
}

}  // namespace plumb
