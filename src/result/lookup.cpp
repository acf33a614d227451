#include <algorithm>

#include "plumb/data/check.hpp"
#include "plumb/registry.hpp"
#include "plumb/result.hpp"

namespace plumb {

std::string MetricResult::reason() const { return spell(why, kMember); }

void refuse_name(std::string_view kind, std::string_view name, const std::vector<std::string>& known) {
  constexpr std::int64_t kShown = 8;
  std::string there;
  for (std::int64_t i = 0; i < std::min(std::ssize(known), kShown); ++i)
    there += (there.empty() ? "; it has " : ", ") + known[i];
  throw InputError("the result has no " + std::string(kind) + " \"" + std::string(name) + "\"" +
                   did_you_mean(name, known) + there + (std::ssize(known) > kShown ? ", ..." : ""));
}

const MetricResult& find_result(const MetricResults& results, std::string_view key) {
  return find_named(results, &MetricResults::value_type::first, "metric", canonical_key(key)).second;
}

}  // namespace plumb
