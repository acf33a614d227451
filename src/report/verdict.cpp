#include "report/verdict.hpp"

#include <algorithm>

#include "report/plots.hpp"
#include "report/verdict_words.hpp"

namespace plumb::detail {

std::vector<Headline> headlines(const Runs& runs) {
  std::vector<Headline> out;
  for (const Run& run : runs) {
    const bool known =
        std::any_of(out.begin(), out.end(), [&](const Headline& h) { return h.model == run.name; });
    const Result r = to_result(run);
    if (known || verdict_words(r).text.empty()) continue;
    std::string reason = verdict_reason(r);
    if (reason[0] >= 'a' && reason[0] <= 'z') reason[0] = static_cast<char>(reason[0] - 'a' + 'A');
    out.push_back({run.name, r.verdict.verdict.empty() ? "none" : r.verdict.verdict,
                   std::string(verdict_name(r.verdict)), reason + "."});
  }
  if (out.empty()) {
    const Plots plots = make_plots(runs);
    out.push_back(
        {runs.front().name, "none", "No verdict",
         plots.empty() ? "These results contain nothing to evaluate a model by." : plots.front().sentence});
  }
  return out;
}

}  // namespace plumb::detail
