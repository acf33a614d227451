#include <algorithm>

#include "io/describe_facts.hpp"
#include "io/format.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/json_lines.hpp"

namespace plumb::detail {
namespace {

ArrayInfo describe_selection(std::span<const std::byte> bytes, const std::string& path,
                             const std::string& selection, int threads) {
  ArrayInfo info;
  info.path = path;
  info.member = selection;
  info.name = selection.empty() ? path : path + ":" + selection;
  try {
    Array a = parse_json_lines(bytes, path, selection,
                               {.want = Want::either, .empty_is_nan = true, .threads = threads});
    if (a.dtype == DType::text) {
      // Nothing stands where the value is null.
      std::vector<std::string> there;
      for (const std::string& s : *a.text)
        if (!s.empty()) there.push_back(s);
      info.missing = std::ssize(*a.text) - std::ssize(there);
      const std::vector<std::int64_t> shape = a.shape;
      if (a.shape.size() == 1 && info.missing > 0) {
        const std::int64_t n = std::ssize(there);
        a = array_of(std::move(there), {n}, a.name);
      }
      describe_array(a, threads, info);
      info.shape = shape;
    } else {
      describe_array(a, threads, info);
    }
  } catch (const InputError& e) {
    info.problem = e.sentence();
  }
  return info;
}

}  // namespace

std::vector<ArrayInfo> describe_json_lines(std::span<const std::byte> bytes, const std::string& path,
                                           int threads) {
  const std::vector<std::string> columns = json_lines_columns(bytes, path);
  std::vector<ArrayInfo> infos;
  for (const std::string& c : columns)
    infos.push_back(describe_selection(bytes, path, as_selection(c), threads));
  for (const ColumnGroup& g : column_groups(columns)) {
    const bool numbers = std::all_of(g.columns.begin(), g.columns.end(), [&](std::size_t c) {
      return infos[c].problem.empty() && infos[c].dtype != DType::text && infos[c].shape.size() == 1;
    });
    if (!numbers) continue;
    ArrayInfo info = describe_selection(bytes, path, group_selection(g, columns), threads);
    if (!info.uses.empty()) infos.push_back(std::move(info));
  }
  return infos;
}

}  // namespace plumb::detail
