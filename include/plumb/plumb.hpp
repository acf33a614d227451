// Plumb as a library: this header, find_package(plumb) and the target plumb::plumb (docs/cpp.md).
//
//   auto items = plumb::make_items({.logits = {logits, 3}, .labels = labels});
//   auto result = plumb::evaluate(items, {.bootstrap = 200});
//   auto model = plumb::fit("temperature", items);
//   auto after = plumb::evaluate(model.apply(items));
//
// Whatever is wrong with the input is a plumb::InputError, in one sentence.
#pragma once

#include "plumb/api/accumulator.hpp"
#include "plumb/api/data.hpp"
#include "plumb/api/items.hpp"
#include "plumb/api/model.hpp"
#include "plumb/api/regression.hpp"
#include "plumb/api/text.hpp"
#include "plumb/api/uncertainty.hpp"
#include "plumb/data/check.hpp"
#include "plumb/evaluate/compare.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "plumb/evaluate/stability.hpp"
#include "plumb/numeric/progress.hpp"
#include "plumb/registry.hpp"
#include "plumb/result.hpp"
#include "plumb/version.hpp"
