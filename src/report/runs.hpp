// Results read back from JSON. What is absent or of another type is absent, never an exception, so that a
// plot can ask for what it needs and be omitted otherwise.
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/report/html.hpp"
#include "plumb/result.hpp"

namespace plumb::detail {

using Json = nlohmann::ordered_json;

struct Run {
  std::string name;
  Json json;
};
using Runs = std::vector<Run>;

/// Results under one name are one model.
[[nodiscard]] bool several_models(const Runs& runs);

/// InputError for files that are not results of plumb.
[[nodiscard]] Runs read_runs(std::span<const NamedResult> results);

/// The member at the end of the path; null when there is none or it is null.
[[nodiscard]] const Json* look(const Json& at, std::initializer_list<std::string_view> path);
[[nodiscard]] std::optional<double> number(const Json& at, std::string_view key);
/// The member itself, or null.
[[nodiscard]] Json member(const Json& at, std::string_view key);
[[nodiscard]] std::string text(const Json& at, std::string_view key);
/// The rows of a table; null when it is absent or empty.
[[nodiscard]] const Json* rows(const Run& run, std::string_view table);
[[nodiscard]] std::optional<double> metric(const Run& run, std::string_view key);

/// The name of class k: as given, otherwise "class k".
[[nodiscard]] std::string class_name(const Run& run, std::size_t k);

/// The model in a sentence: "the model" if there is no other, otherwise its name; `first`: at its beginning.
[[nodiscard]] std::string model_name(const Runs& runs, const std::string& name, bool first = false);
/// " of a" where there are several models, otherwise nothing.
[[nodiscard]] std::string of_model(const Runs& runs, const std::string& name);
/// "a: " where there are several models, otherwise nothing.
[[nodiscard]] std::string model_prefix(const Runs& runs, const std::string& name);

/// The part of a result that plain_words() uses.
[[nodiscard]] Result to_result(const Run& run);

}  // namespace plumb::detail
