#include <charconv>

#include "plumb/data/check.hpp"
#include "plumb/evaluate/stability.hpp"

namespace plumb {
namespace {

constexpr std::string_view kRaterPrefix = "rater:";

SingleLabel parse_single(const std::string& text) {
  if (text == "majority") return SingleLabel::majority;
  if (text == "random") return SingleLabel::random;
  if (text.starts_with(kRaterPrefix) && text.size() > kRaterPrefix.size()) return SingleLabel::rater;
  throw InputError("⟦single⟧ takes majority, random or rater:NAME (or rater:k, from 0), not \"" + text +
                   "\"");
}

int find_rater(const std::string& name, const Votes& votes) {
  std::vector<std::string> known;
  for (int r = 0; r < votes.raters(); ++r) {
    known.push_back(votes.rater_name(r));
    if (known.back() == name) return r;
  }
  int number = 0;
  const char* const end = name.data() + name.size();
  const auto [at, error] = std::from_chars(name.data(), end, number);
  if (error == std::errc{} && at == end && number >= 0) return number;
  throw InputError("⟦single⟧ rater:" + name + ": " + votes.rows().name() + " has no rater of that name" +
                   did_you_mean(name, known));
}

}  // namespace

void check_single(const std::string& text) { (void)parse_single(text); }

void set_single(StabilityOptions& options, const std::string& text, const Votes& votes) {
  options.single = parse_single(text);
  if (options.single == SingleLabel::rater)
    options.rater = find_rater(text.substr(kRaterPrefix.size()), votes);
}

}  // namespace plumb
