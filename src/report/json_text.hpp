// JSON laid out for people: one line for every array or object that holds only plain values.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace plumb::detail {

[[nodiscard]] std::string json_text(const nlohmann::ordered_json& value);

}  // namespace plumb::detail
