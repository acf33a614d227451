#include "describe_next.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "next_command.hpp"

namespace plumb::cli {
namespace {

using Hints = std::vector<std::string_view>;
const Hints kItemHints{"item", "image", "file", "task", "document", "url", "case", "hitid", "id"};
const Hints kRaterHints{"rater", "annotator", "worker", "coder", "reader", "labeler", "labeller", "reviewer"};
const Hints kLabelHints{"label", "choice", "category", "class", "accept", "answer", "vote", "diagnosis"};
const Hints kTruthHints{"y", "label", "labels", "target", "class", "truth", "outcome", "diagnosis"};
const Hints kProbHints{"p", "prob", "probs", "probability", "score", "pred", "prediction"};
const Hints kGroupHints{"patient", "subject", "group"};

std::string small(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
  return out;
}

/// The words of a name: "Input.image_url" is input, image, url; "WorkerId" is worker, id.
std::vector<std::string> words(std::string_view name) {
  std::vector<std::string> out(1);
  char before = 0;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool hump = c >= 'A' && c <= 'Z' && before >= 'a' && before <= 'z';
    if ((!letter || hump) && !out.back().empty()) out.emplace_back();
    if (letter) out.back() += c;
    before = c;
  }
  if (out.back().empty()) out.pop_back();
  for (std::string& w : out) w = small(w);
  return out;
}

/// The index of the first hint that is a word of the name; hints.size() if none is.
std::size_t rank(const std::string& name, const Hints& hints) {
  const std::vector<std::string> own = words(name);
  for (std::size_t i = 0; i < hints.size(); ++i)
    if (std::find(own.begin(), own.end(), hints[i]) != own.end()) return i;
  return hints.size();
}

bool could_be(const ArrayInfo& a, std::string_view option) {
  return std::any_of(a.uses.begin(), a.uses.end(), [&](const ArrayUse& u) { return u.option == option; });
}

std::int64_t rows(const ArrayInfo& a) { return a.shape.empty() ? 0 : a.shape[0]; }

/// The array with the best name among those that fit; without one that has a good name, the first if `any`.
template <class Fits>
const ArrayInfo* best(const std::vector<ArrayInfo>& infos, const Hints& hints, bool any, Fits fits) {
  const ArrayInfo* found = nullptr;
  std::size_t least = hints.size() + (any ? 1 : 0);
  for (const ArrayInfo& a : infos) {
    if (!a.problem.empty() || !fits(a)) continue;
    const std::size_t r = rank(a.member.empty() ? a.path : a.member, hints);
    if (r >= least) continue;
    least = r;
    found = &a;
  }
  return found;
}

struct Words {
  std::string flag, file;
};

/// Item, rater and label in the columns of one file.
std::optional<Words> long_form(const std::vector<ArrayInfo>& infos) {
  const auto column = [](const ArrayInfo& a) { return a.shape.size() <= 1 && !a.member.empty(); };
  const ArrayInfo* rater = best(infos, kRaterHints, false, column);
  if (rater == nullptr) return std::nullopt;
  const auto count = std::count_if(infos.begin(), infos.end(), [&](const ArrayInfo& a) {
    return column(a) && a.path == rater->path && rank(a.member, kRaterHints) < kRaterHints.size();
  });
  if (count > 1) return std::nullopt;  // one column per rater
  const auto other = [&](const ArrayInfo& a) {
    return column(a) && a.path == rater->path && a.member != rater->member;
  };
  const ArrayInfo* label = best(infos, kLabelHints, false, [&](const ArrayInfo& a) {
    const bool says_something = a.distinct.size() != 1;  // Prodigy's "answer" may be "accept" throughout
    return other(a) && says_something &&
           (could_be(a, "labels") || could_be(a, "ratings") || !a.distinct.empty());
  });
  if (label == nullptr) return std::nullopt;
  const ArrayInfo* item =
      best(infos, kItemHints, false, [&](const ArrayInfo& a) { return other(a) && &a != label; });
  if (item == nullptr) return std::nullopt;
  const std::string columns = item->member + "," + rater->member + "," + label->member;
  return Words{"--annotations", columns == "item,rater,label" ? rater->path : rater->path + ":" + columns};
}

/// Text columns "rater_1", "rater_2", ...: one rater each.
std::optional<Words> text_ratings(const std::vector<ArrayInfo>& infos, std::int64_t n) {
  for (const ArrayInfo& a : infos) {
    if (a.dtype != DType::text || a.distinct.empty() || rank(a.member, kRaterHints) == kRaterHints.size())
      continue;
    const std::string prefix = a.member.substr(0, a.member.find_last_not_of("0123456789") + 1);
    const auto alike = std::count_if(infos.begin(), infos.end(), [&](const ArrayInfo& b) {
      return b.path == a.path && b.member.starts_with(prefix) && b.dtype == DType::text;
    });
    if (alike > 1 && (n == 0 || rows(a) == n)) return Words{"--ratings", a.path + ":" + prefix + "*"};
  }
  return std::nullopt;
}

std::optional<Words> predictions(const std::vector<ArrayInfo>& infos, const std::string& votes_file,
                                 std::int64_t& n) {
  const auto wide = [&](const char* option) {
    return best(infos, kProbHints, true, [&](const ArrayInfo& a) {
      return a.shape.size() == 2 && could_be(a, option) && a.path != votes_file;
    });
  };
  const auto flag = [&](const char* name, const ArrayInfo& a) {
    n = rows(a);
    return Words{name, a.name};
  };
  if (const ArrayInfo* a = wide("probs")) return flag("--probs", *a);
  const ArrayInfo* one = best(infos, kProbHints, false, [&](const ArrayInfo& a) {
    return a.shape.size() == 1 && could_be(a, "probs") && a.path != votes_file;
  });
  if (one != nullptr) return flag("--probs", *one);
  if (const ArrayInfo* a = wide("logits")) return flag("--logits", *a);
  one = best(infos, kProbHints, true, [&](const ArrayInfo& a) {
    return a.shape.size() == 1 && could_be(a, "probs") && a.path != votes_file;
  });
  if (one != nullptr) return flag("--probs", *one);
  return std::nullopt;
}

std::optional<Words> wide_votes(const std::vector<ArrayInfo>& infos, std::int64_t n) {
  const auto fits = [&](const ArrayInfo& a, const char* option, std::size_t axes) {
    return a.shape.size() == axes && could_be(a, option) && (n == 0 || rows(a) == n);
  };
  const Hints counts{"counts", "votes"};
  const ArrayInfo* a =
      best(infos, kTruthHints, false, [&](const ArrayInfo& x) { return fits(x, "labels", 1); });
  if (a != nullptr) return Words{"--labels", a->name};
  if (const auto text = text_ratings(infos, n)) return text;
  a = best(infos, kRaterHints, false, [&](const ArrayInfo& x) { return fits(x, "ratings", 2); });
  if (a != nullptr) return Words{"--ratings", a->name};
  a = best(infos, counts, true, [&](const ArrayInfo& x) { return fits(x, "counts", 2); });
  if (a != nullptr) return Words{"--counts", a->name};
  return std::nullopt;
}

/// The column `case` of a table that names files of cases: `probs` or `logits` is text there.
const ArrayInfo* manifest_column(const std::vector<ArrayInfo>& infos) {
  const auto text_column = [&](const std::string& path, const char* name) {
    return std::any_of(infos.begin(), infos.end(), [&](const ArrayInfo& a) {
      return a.path == path && a.member == name && a.dtype == DType::text;
    });
  };
  for (const ArrayInfo& a : infos)
    if (a.member == "case" && (text_column(a.path, "probs") || text_column(a.path, "logits"))) return &a;
  return nullptr;
}

/// Volumes and pictures of one case: the table of cases that names them, and the command that takes it.
std::string next_cases(const std::vector<ArrayInfo>& infos) {
  Args probs, masks;
  for (const ArrayInfo& a : infos) {
    const bool forecast = !a.integers && a.finite > 0 && a.min >= 0 && a.max <= 1 && a.shape.size() > 1;
    if (a.integers && could_be(a, "manifest"))
      masks.push_back(a.name);
    else if (forecast && !a.has_nan)
      probs.push_back(a.name);
  }
  constexpr std::size_t kMostRaters = 9;  // more are the masks of several cases
  if (probs.size() != 1) probs = {"PREDICTIONS"};
  if (masks.empty() || masks.size() > kMostRaters) masks = {"MASK"};
  std::string header = "case,probs", row = "case1," + probs.front();
  for (std::size_t i = 0; i < masks.size(); ++i) {
    header += ",rater_" + std::to_string(i + 1);
    row += "," + masks[i];
  }
  return "printf '%s\\n' " + header + " " + shell_word(row) +
         " > cases.csv\nplumb evaluate --manifest cases.csv";
}

}  // namespace

std::string next_evaluate(const std::vector<ArrayInfo>& infos) {
  if (const ArrayInfo* cases = manifest_column(infos); cases != nullptr)
    return "plumb evaluate --manifest " + shell_word(cases->path);
  if (std::any_of(infos.begin(), infos.end(), [](const ArrayInfo& a) { return could_be(a, "manifest"); }))
    return next_cases(infos);
  const std::optional<Words> judgements = long_form(infos);
  const std::string votes_file = judgements ? judgements->file.substr(0, judgements->file.rfind(':')) : "";
  std::int64_t n = 0;
  const std::optional<Words> said = predictions(infos, votes_file, n);
  const std::optional<Words> votes = judgements ? judgements : wide_votes(infos, n);
  if (!said && !votes) return "";
  std::string out = "plumb evaluate";
  const auto add = [&](const Words& w) { out += " " + w.flag + " " + shell_word(w.file); };
  add(said.value_or(Words{"--probs", "PREDICTIONS"}));
  if (judgements) {
    const ArrayInfo* ids = best(infos, kItemHints, true, [&](const ArrayInfo& a) {
      return a.shape.size() == 1 && a.path != votes_file && n > 0 && rows(a) == n &&
             (could_be(a, "ids") || could_be(a, "groups"));
    });
    add({"--ids", ids != nullptr ? ids->name : "PREDICTIONS:id"});
  }
  add(votes.value_or(Words{"--labels", "LABELS"}));
  const ArrayInfo* group = best(infos, kGroupHints, false, [&](const ArrayInfo& a) {
    return a.shape.size() == 1 && n > 0 && rows(a) == n && could_be(a, "groups");
  });
  if (group != nullptr) add({"--groups", group->name});
  return out;
}

}  // namespace plumb::cli
