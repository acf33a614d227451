#include "plumb/api/uncertainty.hpp"

namespace plumb {

UncertaintyResult uncertainty(const Items& items, const UncertaintyOptions& options,
                              const std::vector<std::pair<std::string, Data>>& own, const Names& ids) {
  std::vector<std::pair<std::string, Rows>> columns;
  for (const auto& [name, data] : own) columns.emplace_back(name, data.rows(name));
  return uncertainty(items, columns, ids, options);
}

}  // namespace plumb
