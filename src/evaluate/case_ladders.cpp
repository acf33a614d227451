#include "evaluate/case_ladders.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb::detail {
namespace {

/// Forecasts of a block by their votes and hits: a ladder takes many of a kind at once.
class VoteKinds {
 public:
  void add(double p, std::uint32_t votes, std::uint32_t hits) {
    if (votes == 0) return;
    const auto at = std::find_if(kinds_.begin(), kinds_.end(),
                                 [&](const Kind& k) { return k.votes == votes && k.hits == hits; });
    Kind& kind = at != kinds_.end() ? *at : kinds_.emplace_back(Kind{votes, hits, {}});
    kind.p.push_back(p);
  }
  void move_to(Ladder& ladder) {
    for (Kind& k : kinds_) {
      if (!k.p.empty()) ladder.add(k.p, k.votes, k.hits);
      k.p.clear();
    }
  }

 private:
  struct Kind {
    std::uint32_t votes, hits;
    std::vector<double> p;
  };
  std::vector<Kind> kinds_;
};

/// What a block holds, and the ladders of one thread.
class LadderWorker {
 public:
  LadderWorker(const Items& items, const WantedLadders& wanted, const TiesRule& ties)
      : items_(items), wanted_(wanted), ties_(ties), unit_(majority_unit(items.classes(), ties.ties)) {
    if (wanted.votes) out.votes.emplace();
    if (wanted.single) {
      out.majority.emplace();
      if (items.votes.kind() == Votes::Kind::ratings) out.raters.resize(items.votes.raters());
    }
    if (wanted.classes) out.classes.resize(items.classes());
  }

  void add(std::int64_t begin, std::int64_t end) {
    items_.predictions.read(begin, end, z_);
    items_.votes.read(begin, end, votes_);
    if (wanted_.votes || wanted_.single) find_event();
    if (wanted_.votes) add_votes();
    if (wanted_.single) {
      add_majority(begin);
      add_raters(begin, end);
    }
    for (std::size_t k = 0; k < out.classes.size(); ++k) add_class(narrow<std::uint32_t>(k));
  }

  CaseLadders out;

 private:
  /// The event's forecast and class.
  void find_event() {
    p_.resize(z_.size);
    class_.resize(z_.size);
    if (z_.width == 1) {
      std::copy_n(z_.z.begin(), z_.size, p_.begin());
      std::fill(class_.begin(), class_.end(), 1);
    } else {
      top_labels(z_, 0, p_, class_);
    }
  }
  void add_votes() {
    for (std::int64_t i = 0; i < z_.size; ++i) kinds_.add(p_[i], votes_.votes(i), votes_.hits(i, class_[i]));
    kinds_.move_to(*out.votes);
  }
  void add_majority(std::int64_t begin) {
    for (std::int64_t i = 0; i < z_.size; ++i) {
      votes_.majority_classes(i, tied_);
      const double share = majority_share(tied_, class_[i], ties_, begin + i);
      if (share >= 0) kinds_.add(p_[i], unit_, static_cast<std::uint32_t>(std::lround(unit_ * share)));
    }
    kinds_.move_to(*out.majority);
  }
  void add_raters(std::int64_t begin, std::int64_t end) {
    if (out.raters.empty()) return;
    const auto raters = std::ssize(out.raters);
    items_.votes.read_ratings(begin, end, ratings_);
    for (std::int64_t r = 0; r < raters; ++r) {
      for (std::int64_t i = 0; i < z_.size; ++i) {
        const std::int32_t v = ratings_[i * raters + r];
        if (v >= 0) kinds_.add(p_[i], 1, static_cast<std::uint32_t>(v) == class_[i] ? 1 : 0);
      }
      kinds_.move_to(out.raters[r]);
    }
  }
  void add_class(std::uint32_t k) {
    for (std::int64_t i = 0; i < z_.size; ++i) {
      const double p = z_.width > 1 ? z_.z[i * z_.width + k] : k == 1 ? z_.z[i] : 1 - z_.z[i];
      kinds_.add(p, votes_.votes(i), votes_.hits(i, k));
    }
    kinds_.move_to(out.classes[k]);
  }

  const Items& items_;
  WantedLadders wanted_;
  TiesRule ties_;
  std::uint32_t unit_;
  PredictionBlock z_;
  VoteBlock votes_;
  VoteKinds kinds_;
  std::vector<std::int32_t> ratings_;
  std::vector<double> p_;
  std::vector<std::uint32_t> class_, tied_;
};

void merge_ladder(std::optional<Ladder>& into, const std::optional<Ladder>& from) {
  if (!into) {
    into = from;
  } else if (from) {
    into->merge(*from);
  }
}

void merge_ladders(std::vector<Ladder>& into, const std::vector<Ladder>& from) {
  if (into.size() < from.size()) into.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) into[i].merge(from[i]);
}

}  // namespace

std::uint32_t majority_unit(int classes, Ties ties) {
  constexpr int kMostTied = 10;
  std::uint32_t unit = 1;
  for (int m = 2; ties == Ties::half && m <= std::min(classes, kMostTied); ++m)
    unit = std::lcm(unit, static_cast<std::uint32_t>(m));
  return unit;
}

void merge_into(CaseLadders& into, const CaseLadders& from) {
  merge_ladder(into.votes, from.votes);
  merge_ladder(into.majority, from.majority);
  merge_ladders(into.raters, from.raters);
  merge_ladders(into.classes, from.classes);
}

CaseLadders case_ladders(const Items& items, const WantedLadders& wanted, const TiesRule& ties, int threads) {
  std::vector<LadderWorker> workers;
  for (int i = 0; i < resolve_threads(threads); ++i) workers.emplace_back(items, wanted, ties);
  parallel_blocks(items.size(), block_rows(items), threads,
                  [&](int worker, std::int64_t begin, std::int64_t end) { workers[worker].add(begin, end); });
  CaseLadders out = std::move(workers[0].out);
  for (std::size_t i = 1; i < workers.size(); ++i) merge_into(out, workers[i].out);
  return out;
}

}  // namespace plumb::detail
