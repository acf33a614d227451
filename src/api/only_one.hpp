// Of several columns that mean the same, a caller gives one.
#pragma once

#include <initializer_list>

#include "plumb/api/data.hpp"

namespace plumb::detail {

struct Choice {
  const char* name = "";
  const Data* data = nullptr;  ///< null: none was given
};

/// InputError when two are given.
[[nodiscard]] Choice only_one(std::initializer_list<Choice> columns);

}  // namespace plumb::detail
