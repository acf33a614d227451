// Tables whose columns are read one at a time: JSON lines, Parquet, Arrow.
#include <algorithm>

#include "io/describe_facts.hpp"
#include "io/format.hpp"
#include "plumb/data/check.hpp"

namespace plumb::detail {
namespace {

ArrayInfo describe_selection(const std::string& path, const std::string& selection, int threads,
                             const ReadSelection& read) {
  ArrayInfo info;
  info.path = path;
  info.member = selection;
  info.name = selection.empty() ? path : path + ":" + selection;
  try {
    Array a = read(selection);
    if (a.dtype == DType::text) {
      // Null values are empty.
      Texts there;
      for (std::int64_t i = 0; i < a.text->size(); ++i)
        if (!(*a.text)[i].empty()) there.add((*a.text)[i]);
      info.missing = a.text->size() - there.size();
      const std::vector<std::int64_t> shape = a.shape;
      if (a.shape.size() == 1 && info.missing > 0) {
        const std::int64_t n = there.size();
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

std::vector<ArrayInfo> describe_columns(const std::vector<std::string>& columns, const std::string& path,
                                        int threads, const ReadSelection& read) {
  std::vector<ArrayInfo> infos;
  for (const std::string& c : columns)
    infos.push_back(describe_selection(path, as_selection(c), threads, read));
  for (const ColumnGroup& g : column_groups(columns)) {
    const bool numbers = std::all_of(g.columns.begin(), g.columns.end(), [&](std::size_t c) {
      return infos[c].problem.empty() && infos[c].dtype != DType::text && infos[c].shape.size() == 1;
    });
    if (!numbers) continue;
    ArrayInfo info = describe_selection(path, group_selection(g, columns), threads, read);
    if (!info.uses.empty()) infos.push_back(std::move(info));
  }
  return infos;
}

}  // namespace plumb::detail
