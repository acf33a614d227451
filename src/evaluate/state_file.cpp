// State files: "PLUMBSTA", format version, payload length, payload, FNV-1a of the payload. Little-endian
// throughout.
#include <bit>
#include <cstring>

#include "evaluate/kernel.hpp"
#include "plumb/data/check.hpp"
#include "plumb/evaluate_state.hpp"
#include "plumb/metrics/raters/disagreement.hpp"
#include "plumb/metrics/raters/label_histogram.hpp"

namespace plumb {
namespace {

static_assert(std::endian::native == std::endian::little, "state files are written as they lie in memory");

constexpr std::string_view kMagic = "PLUMBSTA";
constexpr std::uint32_t kFormat = 1;

std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t h = 0xcbf29ce484222325ull;
  for (const char c : bytes) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return h;
}

/// One visitor for both directions: what is written in this order is read in this order.
struct Writer {
  std::string out;
  template <class T>
  void number(T& x) {
    out.append(reinterpret_cast<const char*>(&x), sizeof x);
  }
  template <class T>
  std::size_t size(std::vector<T>& v) {
    std::uint64_t n = v.size();
    number(n);
    return v.size();
  }
  void text(std::string& s) {
    std::uint64_t n = s.size();
    number(n);
    out += s;
  }
};

struct Reader {
  std::string_view in;
  const std::string& name;
  [[noreturn]] void fail() const {
    throw InputError(name + ": the state file is damaged; make it again with --save-state");
  }
  template <class T>
  void number(T& x) {
    if (in.size() < sizeof x) fail();
    std::memcpy(&x, in.data(), sizeof x);
    in.remove_prefix(sizeof x);
  }
  void number(bool& x) {
    std::uint8_t b = 0;
    number(b);
    if (b > 1) fail();
    x = b == 1;
  }
  template <class T>
  std::size_t size(std::vector<T>& v) {
    std::uint64_t n = 0;
    number(n);
    if (n > in.size())
      fail();  // every element takes at least a byte: no allocation beyond the file's own size
    v.resize(n);
    return n;
  }
  void text(std::string& s) {
    std::uint64_t n = 0;
    number(n);
    if (n > in.size()) fail();
    s.assign(in.substr(0, n));
    in.remove_prefix(n);
  }
};

template <class Io>
void visit(Io& io, ExactSum& s) {
  auto limbs = s.limbs();
  for (auto& limb : limbs) io.number(limb);
  s = ExactSum::from_limbs(limbs);
}

template <class Io>
void visit(Io& io, Cells& c) {
  io.number(c.bins);
  io.number(c.equal_width);
  io.size(c.thresholds);
  for (double& x : c.thresholds) io.number(x);
}

template <class Io>
void visit(Io& io, ShareTables& t) {
  io.size(t.cells);
  for (Cells& c : t.cells) visit(io, c);
  for (auto* cells : {&t.single, &t.several}) {
    io.size(*cells);
    for (ShareCell& c : *cells) {
      io.number(c.items);
      io.number(c.votes);
      for (ExactSum* s : {&c.w, &c.wp, &c.wmu, &c.wsq, &c.wmm, &c.wg, &c.ww, &c.wwmm}) visit(io, *s);
    }
  }
  io.number(t.left_out);
}

template <class Io>
void visit(Io& io, Agreement& a) {
  io.number(a.items);
  visit(io, a.weight);
  visit(io, a.votes);
  io.size(a.cls);
  for (AgreementClass& c : a.cls)
    for (ExactSum* s : {&c.wmu, &c.wg, &c.wy, &c.wo}) visit(io, *s);
}

template <class Io>
void visit(Io& io, EventLogLoss& e) {
  for (std::uint64_t* n : {&e.votes, &e.zero, &e.clipped}) io.number(*n);
  visit(io, e.weight);
  visit(io, e.loss);
}

template <class Io>
void visit(Io& io, ReliabilityTable& t) {
  visit(io, t.cells);
  io.size(t.cell);
  for (Cell& c : t.cell) {
    io.number(c.items);
    io.number(c.votes);
    for (ExactSum* s : {&c.w, &c.wp, &c.wy, &c.ww, &c.wwyy}) visit(io, *s);
  }
}

template <class Io>
void visit(Io& io, StreamSums& s) {
  visit(io, s.event);
  io.size(s.by_class);
  for (ReliabilityTable& t : s.by_class) visit(io, t);
  ProperScores& p = s.scores;
  for (std::uint64_t* n : {&p.items, &p.unvoted, &p.votes, &p.zero, &p.clipped, &p.kl_bad}) io.number(*n);
  for (ExactSum* x : {&p.item_weight, &p.vote_weight, &p.correct, &p.agree, &p.nll, &p.brier, &p.truth_weight,
                      &p.mse_p, &p.kl_p})
    visit(io, *x);
  visit(io, s.event_log);
  visit(io, s.histogram);
  visit(io, s.disagreement);
  visit(io, s.agreement);
  io.number(s.several_votes);
}

template <class Io>
void visit(Io& io, BetaSums& s) {
  io.number(s.boxes.bandwidth);
  io.number(s.boxes.step);
  for (auto* sums : {&s.moments.w, &s.moments.wy}) {
    io.size(*sums);
    for (ExactSum& x : *sums) visit(io, x);
  }
  for (VotesAt* at : {&s.at_zero, &s.above_zero, &s.at_one, &s.below_one}) {
    io.number(at->p);
    visit(io, at->w);
    visit(io, at->wy);
  }
}

template <class Io>
void visit(Io& io, EvaluateState& s) {
  io.number(s.classes);
  io.number(s.bins);
  io.number(s.clip);
  io.number(s.bandwidth);
  io.number(s.normalize);
  io.number(s.logits);
  io.number(s.has_truth);
  io.number(s.items);
  io.size(s.class_names);
  for (std::string& name : s.class_names) io.text(name);
  visit(io, s.votes);
  visit(io, s.consensus);
  if (s.bandwidth > 0) visit(io, s.kernel);
}

/// A file may be well-formed and still not be one of ours.
bool consistent(const EvaluateState& s) {
  const auto fits = [&](const StreamSums& x) {
    const auto table = [&](const ReliabilityTable& t) {
      return t.cells == Cells{s.bins, true, {}} && t.cell.size() == static_cast<std::size_t>(s.bins);
    };
    if (!table(x.event) || x.by_class.size() != static_cast<std::size_t>(s.classes)) return false;
    for (const ReliabilityTable& t : x.by_class)
      if (!table(t)) return false;
    const auto shares = [](const ShareTables& t, const std::vector<Cells>& cells) {
      const auto full = [&](const std::vector<ShareCell>& c) { return c.empty() || c.size() == t.size(); };
      return t.cells == cells && full(t.single) && full(t.several);
    };
    const Cells cells{s.bins, true, {}};
    return shares(x.histogram, classwise_cells(s.classes, cells)) &&
           shares(x.disagreement, disagreement_cells(s.classes, cells)) &&
           x.agreement.cls.size() == static_cast<std::size_t>(s.classes);
  };
  const auto kernel = [](double bandwidth, const BetaSums& k) {
    if (bandwidth == 0) return k == BetaSums();
    if (!(bandwidth >= kSmallestBandwidth && bandwidth <= kLargestBandwidth)) return false;
    const BetaBoxes boxes = kernel_boxes(bandwidth);
    const std::size_t moments = BetaSums(boxes).moments.w.size();
    return k.boxes == boxes && k.moments.w.size() == moments && k.moments.wy.size() == moments;
  };
  return kernel(s.bandwidth, s.kernel) && s.classes >= 2 && s.bins >= 1 && s.clip >= 0 && s.clip < 0.5 &&
         (s.class_names.empty() || s.class_names.size() == static_cast<std::size_t>(s.classes)) &&
         fits(s.votes) && fits(s.consensus);
}

}  // namespace

std::string serialize(const EvaluateState& state) {
  EvaluateState copy = state;
  Writer payload;
  visit(payload, copy);
  Writer file;
  file.out = kMagic;
  std::uint32_t format = kFormat;
  std::uint64_t length = payload.out.size();
  std::uint64_t sum = checksum(payload.out);
  file.number(format);
  file.number(length);
  file.out += payload.out;
  file.number(sum);
  return std::move(file.out);
}

EvaluateState deserialize_state(std::string_view bytes, const std::string& name) {
  if (!bytes.starts_with(kMagic))
    throw InputError(name + ": this is no state file of Plumb; make one with `plumb evaluate --save-state`");
  Reader in{bytes.substr(kMagic.size()), name};
  std::uint32_t format = 0;
  std::uint64_t length = 0;
  in.number(format);
  if (format != kFormat)
    throw InputError(name + ": the state file has format " + std::to_string(format) +
                     " and this version reads format " + std::to_string(kFormat) +
                     "; use the version of Plumb that wrote it, or a newer one");
  in.number(length);
  if (in.in.size() < sizeof(std::uint64_t) || length != in.in.size() - sizeof(std::uint64_t)) in.fail();
  Reader payload{in.in.substr(0, length), name};
  in.in.remove_prefix(length);
  std::uint64_t sum = 0;
  in.number(sum);
  if (sum != checksum(payload.in)) in.fail();
  EvaluateState s;
  visit(payload, s);
  if (!payload.in.empty() || !consistent(s)) payload.fail();
  return s;
}

}  // namespace plumb
