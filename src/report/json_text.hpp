// JSON laid out for people, and the options that its sentences name.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "plumb/data/option_name.hpp"

namespace plumb::detail {

/// One line for every array or object that holds only plain values.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& value);

/// Reasons, outcomes and notes of a result with options in backticks; all other text is data and stays as
/// it is.
void quote_options(nlohmann::ordered_json& result);
/// The inverse: spelled for the readers of a page.
void spell_options(nlohmann::ordered_json& result, const Spelling& spelling);

}  // namespace plumb::detail
