// Of several columns that mean the same, a caller gives one.
#pragma once

#include <initializer_list>

#include "plumb/api/data.hpp"
#include "plumb/data/check.hpp"

namespace plumb::detail {

struct Choice {
  const char* name = "";
  const Data* data = nullptr;  ///< null: none was given
};

/// InputError when two are given.
[[nodiscard]] inline Choice only_one(std::initializer_list<Choice> columns) {
  Choice found;
  for (const Choice& c : columns) {
    if (!c.data->given()) continue;
    if (found.data != nullptr)
      throw InputError(opt(found.name) + " and " + opt(c.name) + " cannot be combined; give one of them");
    found = c;
  }
  return found;
}

}  // namespace plumb::detail
