// Columns of ours as Arrow C structs, for the plugin to write.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plumb/io/arrow_c.hpp"

namespace plumb::detail {

/// float64 ("g"), int64 ("l") or text ("u"), with the bytes as Arrow lays them out.
struct ArrowOut {
  std::string name, format;
  std::int64_t length = 0;
  std::string validity;         ///< one bit per value; empty: none is missing
  std::string values, letters;  ///< numbers; or offsets and the texts behind each other
};

[[nodiscard]] ArrowOut out_numbers(std::string name, std::span<const double> values,
                                   const std::vector<bool>& missing = {});
[[nodiscard]] ArrowOut out_wholes(std::string name, std::span<const double> values,
                                  const std::vector<bool>& missing = {});
[[nodiscard]] ArrowOut out_texts(std::string name, std::span<const std::string> values);

/// The taker calls `release`.
[[nodiscard]] ArrowSchema export_schema(std::span<const ArrowOut> columns);
[[nodiscard]] ArrowArray export_batch(std::vector<ArrowOut> columns);

}  // namespace plumb::detail
