#include "evaluate/case_draws.hpp"

#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb::detail {
namespace {

struct Times {
  std::uint32_t n;
  void once(ExactSum& into, const ExactSum& from) const { repeat(into, from, n); }
  void squared(ExactSum& into, const ExactSum& from) const { repeat(into, from, n * n); }

 private:
  static void repeat(ExactSum& into, const ExactSum& from, std::uint32_t times) {
    for (std::uint32_t i = 0; i < times; ++i) into.merge(from);  // Poisson(1) counts are small
  }
};

void add_table(ReliabilityTable& into, const ReliabilityTable& from, const Times& t) {
  for (std::size_t b = 0; b < into.bins.size(); ++b) {
    Bin& to = into.bins[b];
    const Bin& c = from.bins[b];
    to.items += c.items;
    to.votes += c.votes;
    t.once(to.w, c.w);
    t.once(to.wp, c.wp);
    t.once(to.wy, c.wy);
    t.squared(to.ww, c.ww);
    t.squared(to.wwyy, c.wwyy);
  }
}

void add_shares(std::vector<ShareBin>& into, const std::vector<ShareBin>& from, const Times& t) {
  if (into.empty()) into.resize(from.size());
  for (std::size_t b = 0; b < from.size(); ++b) {
    ShareBin& to = into[b];
    const ShareBin& c = from[b];
    to.items += c.items;
    to.votes += c.votes;
    for (ExactSum ShareBin::*sum :
         {&ShareBin::w, &ShareBin::wp, &ShareBin::wmu, &ShareBin::wsq, &ShareBin::wmm, &ShareBin::wg})
      t.once(to.*sum, c.*sum);
    t.squared(to.ww, c.ww);
    t.squared(to.wwmm, c.wwmm);
  }
}

void add_shares(ShareTables& into, const ShareTables& from, const Times& t) {
  add_shares(into.single, from.single, t);
  add_shares(into.several, from.several, t);
  into.left_out += from.left_out;
}

void add_scores(ProperScores& into, const ProperScores& from, const Times& t) {
  for (std::uint64_t ProperScores::*count :
       {&ProperScores::items, &ProperScores::unvoted, &ProperScores::votes, &ProperScores::zero,
        &ProperScores::clipped, &ProperScores::kl_bad})
    into.*count += from.*count;
  for (ExactSum ProperScores::*sum :
       {&ProperScores::item_weight, &ProperScores::vote_weight, &ProperScores::correct, &ProperScores::agree,
        &ProperScores::nll, &ProperScores::brier, &ProperScores::truth_weight, &ProperScores::mse_p,
        &ProperScores::kl_p})
    t.once(into.*sum, from.*sum);
}

void add_log(EventLogLoss& into, const EventLogLoss& from, const Times& t) {
  into.votes += from.votes;
  into.zero += from.zero;
  into.clipped += from.clipped;
  t.once(into.weight, from.weight);
  t.once(into.loss, from.loss);
}

void add_agreement(Agreement& into, const Agreement& from, const Times& t) {
  into.items += from.items;
  into.count += from.count;
  t.once(into.weight, from.weight);
  t.once(into.votes, from.votes);
  for (std::size_t k = 0; k < from.cls.size(); ++k)
    for (ExactSum AgreementClass::*sum :
         {&AgreementClass::wmu, &AgreementClass::wg, &AgreementClass::wy, &AgreementClass::wo})
      t.once(into.cls[k].*sum, from.cls[k].*sum);
}

StreamSums empty_sums(int bins, int classes) {
  return StreamBuilder(equal_width_plan(bins, classes), kStreamingProducts).finish();
}

}  // namespace

void merge_times(StreamSums& into, const StreamSums& from, std::uint32_t times) {
  if (times == 0) return;
  const Times t{times};
  add_table(into.event, from.event, t);
  for (std::size_t k = 0; k < from.by_class.size(); ++k) add_table(into.by_class[k], from.by_class[k], t);
  add_scores(into.scores, from.scores, t);
  add_log(into.event_log, from.event_log, t);
  add_shares(into.histogram, from.histogram, t);
  add_shares(into.disagreement, from.disagreement, t);
  add_agreement(into.agreement, from.agreement, t);
  into.several_votes = into.several_votes || from.several_votes;
}

ReliabilityTable with_residuals_negated(const ReliabilityTable& table) {
  ReliabilityTable out = table;
  for (std::size_t b = 0; b < out.bins.size(); ++b) {
    ExactSum wy = table.bins[b].wp;
    wy.merge(table.bins[b].wp);
    wy.subtract(table.bins[b].wy);
    out.bins[b].wy = wy;
  }
  return out;
}

bool read_from_signs(const MetricRow& row) {
  return row.key == "ece" || row.key == "ece_l2" || row.key == "mce" || row.key == "ece_classwise" ||
         row.key == "mean_gap";
}

CaseDraws::CaseDraws(const EvaluateOptions& o, int classes)
    : seed_(o.seed), boot_(o.bootstrap, empty_sums(o.bins, classes)), null_(boot_) {}

void CaseDraws::add(const std::string& unit, const StreamSums& sums) {
  votes_[unit] += sums.event.total().votes;
  const std::uint64_t hash = hash_name(unit);
  StreamSums other;
  other.event = with_residuals_negated(sums.event);
  for (const ReliabilityTable& t : sums.by_class) other.by_class.push_back(with_residuals_negated(t));
  for (std::size_t r = 0; r < boot_.size(); ++r) {
    const auto replicate = narrow<std::uint32_t>(r);
    merge_times(boot_[r], sums, random_poisson(seed_, replicate, hash));
    const bool turn = (random_bits(seed_, Purpose::null_groups, replicate, hash) & 1) != 0;
    const StreamSums& from = turn ? other : sums;
    null_[r].event.merge(from.event);
    for (std::size_t k = 0; k < from.by_class.size(); ++k) null_[r].by_class[k].merge(from.by_class[k]);
  }
}

SampleSize CaseDraws::size(bool several_votes) const {
  SampleSize out;
  out.grouped = true;
  out.several_votes = several_votes;
  double sum = 0, squares = 0;
  for (const auto& [unit, votes] : votes_) {
    const auto n = static_cast<double>(votes);
    ++out.units;
    sum += n;
    squares += n * n;
  }
  if (squares > 0) out.effective = sum * sum / squares;
  return out;
}

std::vector<Drawn> CaseDraws::boot(const Selection& part, const FinishOptions& options) const {
  std::vector<Drawn> out(boot_.size());
  for (std::size_t r = 0; r < out.size(); ++r) {
    finish(part, Products(boot_[r], kStreamingProducts, options), out[r].scores);
    out[r].event = bin_sums({&boot_[r].event, 1});
    out[r].classes = bin_sums(boot_[r].by_class);
  }
  return out;
}

std::vector<Drawn> CaseDraws::null(const Selection& part, const FinishOptions& options) const {
  std::vector<Drawn> out(null_.size());
  for (std::size_t r = 0; r < out.size(); ++r) {
    finish(part, Products(null_[r], {Product::event_table, Product::class_tables}, options), out[r].scores);
    out[r].event = bin_sums({&null_[r].event, 1});
    out[r].classes = bin_sums(null_[r].by_class);
    for (const Bin& c : null_[r].event.bins) out[r].event_mean_y.push_back(c.w.is_zero() ? 0 : c.mean_y());
  }
  return out;
}

}  // namespace plumb::detail
