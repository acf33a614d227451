// Finding things in a Result.
#pragma once

#include <optional>
#include <string_view>

#include "plumb/result.hpp"

namespace plumb::detail {

/// Null when the key was not asked for.
[[nodiscard]] inline const MetricResult* find(const MetricResults& results, std::string_view key) {
  for (const auto& [name, m] : results)
    if (name == key) return &m;
  return nullptr;
}

/// The value, or nothing when it was not asked for or is undefined.
[[nodiscard]] inline std::optional<double> value_of(const MetricResults& results, std::string_view key) {
  const MetricResult* m = find(results, key);
  return m != nullptr ? m->value : std::nullopt;
}

template <class T>
[[nodiscard]] T setting(const Result& r, std::string_view key, T otherwise) {
  for (const auto& [name, v] : r.settings)
    if (const T* x = std::get_if<T>(&v); name == key && x != nullptr) return *x;
  return otherwise;
}

}  // namespace plumb::detail
