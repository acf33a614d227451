// The text of an InputError, for tests that compare the whole sentence.
#pragma once

#include <string>

#include "plumb/data/check.hpp"

namespace plumb {

template <class F>
std::string complaint(F f) {
  try {
    f();
  } catch (const InputError& e) {
    return e.what();
  }
  return "no complaint";
}

}  // namespace plumb
