#include "api/only_one.hpp"

#include "plumb/data/check.hpp"

namespace plumb::detail {

Choice only_one(std::initializer_list<Choice> columns) {
  Choice found;
  for (const Choice& c : columns) {
    if (!c.data->given()) continue;
    if (found.data != nullptr)
      throw InputError(opt(found.name) + " and " + opt(c.name) + " exclude each other; give one of them");
    found = c;
  }
  return found;
}

}  // namespace plumb::detail
