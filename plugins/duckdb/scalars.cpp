// plumb_value(state, 'ece'), plumb_why(state, 'ece'), plumb_json(state): what a state says;
// plumb_apply(model, p): probabilities calibrated by a model file.
#include <functional>
#include <map>
#include <memory>

#include "any_state.hpp"
#include "api.hpp"
#include "plumb/api/model.hpp"
#include "plumb/api/text.hpp"
#include "rows.hpp"

namespace plumb::duckdb {
namespace {

void set_error(duckdb_function_info info, const char* text) { duckdb_scalar_function_set_error(info, text); }

void set_text(duckdb_vector out, idx_t row, const std::string& text) {
  duckdb_vector_assign_string_element_len(out, row, text.data(), text.size());
}

/// Calls `one` for the rows in which no argument is NULL; in others the result is NULL.
template <class One>
void each_row(duckdb_data_chunk chunk, duckdb_vector out, One one) {
  const idx_t rows = duckdb_data_chunk_get_size(chunk), columns = duckdb_data_chunk_get_column_count(chunk);
  for (idx_t i = 0; i < rows; ++i) {
    bool null = false;
    for (idx_t c = 0; c < columns; ++c) null = null || is_null(duckdb_data_chunk_get_vector(chunk, c), i);
    if (null) {
      set_null(out, i);
    } else {
      one(i);
    }
  }
}

/// "ece.low" asks for a bound of "ece".
std::optional<double> part_of(const MetricResult& m, std::string_view part) {
  if (part.empty() || part == "value") return m.value;
  if (part == "low") return m.low;
  if (part == "high") return m.high;
  if (part == "p_value") return m.p_value;
  if (part == "null_mean") return m.null_mean;
  throw InputError("there is no \"" + std::string(part) +
                   "\" of a metric; a key may end in .value, .low, .high, .p_value or .null_mean");
}

struct Asked {
  std::string key, part;
};
Asked asked_for(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return {std::string(text), ""};
  return {std::string(text.substr(0, dot)), std::string(text.substr(dot + 1))};
}

void value(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector out) {
  guarded(info, set_error, [&] {
    duckdb_vector states = duckdb_data_chunk_get_vector(chunk, 0),
                  keys = duckdb_data_chunk_get_vector(chunk, 1);
    each_row(chunk, out, [&](idx_t i) {
      const Asked asked = asked_for(text_at(keys, i));
      const Result result = AnyState(text_at(states, i), {asked.key}).finish();
      const std::optional<double> x = part_of(find_result(result.metrics, asked.key), asked.part);
      if (x) {
        values_of<double>(out)[i] = *x;
      } else {
        set_null(out, i);
      }
    });
  });
}

void why(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector out) {
  guarded(info, set_error, [&] {
    duckdb_vector states = duckdb_data_chunk_get_vector(chunk, 0),
                  keys = duckdb_data_chunk_get_vector(chunk, 1);
    each_row(chunk, out, [&](idx_t i) {
      const std::string key = asked_for(text_at(keys, i)).key;
      const MetricResult m = find_result(AnyState(text_at(states, i), {key}).finish().metrics, key);
      if (m.value) {
        set_null(out, i);
      } else {
        set_text(out, i, spell(m.why, kBareName));
      }
    });
  });
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) out.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return out;
}

void json(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector out) {
  guarded(info, set_error, [&] {
    duckdb_vector states = duckdb_data_chunk_get_vector(chunk, 0);
    const bool chosen = duckdb_data_chunk_get_column_count(chunk) > 1;
    each_row(chunk, out, [&](idx_t i) {
      std::vector<std::string> keys;
      if (chosen) keys = split(text_at(duckdb_data_chunk_get_vector(chunk, 1), i));
      set_text(out, i, to_json(AnyState(text_at(states, i), keys).finish()));
    });
  });
}

/// Models by path; a query names few.
const Model& model_of(std::string_view path, std::map<std::string, Model, std::less<>>& models) {
  const auto at = models.find(path);
  return at != models.end() ? at->second : models.emplace(path, load(std::string(path))).first->second;
}

void apply_one(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector out) {
  guarded(info, set_error, [&] {
    duckdb_vector paths = duckdb_data_chunk_get_vector(chunk, 0), p = duckdb_data_chunk_get_vector(chunk, 1);
    std::map<std::string, Model, std::less<>> models;
    std::map<const Model*, std::pair<std::vector<idx_t>, std::vector<double>>> rows;
    each_row(chunk, out, [&](idx_t i) {
      auto& [at, values] = rows[&model_of(text_at(paths, i), models)];
      at.push_back(i);
      values.push_back(values_of<double>(p)[i]);
    });
    for (const auto& [model, of_model] : rows) {
      const auto& [at, values] = of_model;
      const std::vector<double> calibrated =
          probabilities(model->apply(make_items({.probs = Data(std::span(values))})));
      for (std::size_t j = 0; j < at.size(); ++j) values_of<double>(out)[at[j]] = calibrated[j];
    }
  });
}

void apply_list(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector out) {
  guarded(info, set_error, [&] {
    duckdb_vector paths = duckdb_data_chunk_get_vector(chunk, 0),
                  lists = duckdb_data_chunk_get_vector(chunk, 1);
    duckdb_vector child = duckdb_list_vector_get_child(lists);
    const double* z = values_of<double>(child);
    const auto* entries = values_of<duckdb_list_entry>(lists);
    std::map<std::string, Model, std::less<>> models;
    std::vector<double> all;
    std::vector<duckdb_list_entry> where(duckdb_data_chunk_get_size(chunk));
    each_row(chunk, out, [&](idx_t i) {
      const duckdb_list_entry e = entries[i];
      for (idx_t j = e.offset; j < e.offset + e.length; ++j)
        if (is_null(child, j)) throw InputError("the prediction: a list has a NULL in it");
      const std::span<const double> row(z + e.offset, e.length);
      std::vector<double> calibrated = probabilities(
          model_of(text_at(paths, i), models).apply(make_items({.probs = Data(row, e.length)})));
      if (e.length == 2 && calibrated.size() == 1) calibrated = {1 - calibrated[0], calibrated[0]};
      where[i] = {all.size(), calibrated.size()};
      all.insert(all.end(), calibrated.begin(), calibrated.end());
    });
    duckdb_list_vector_reserve(out, all.size());
    duckdb_list_vector_set_size(out, all.size());
    std::copy(all.begin(), all.end(), values_of<double>(duckdb_list_vector_get_child(out)));
    std::copy(where.begin(), where.end(), values_of<duckdb_list_entry>(out));
  });
}

struct Overload {
  std::vector<duckdb_type> parameters;  ///< LIST stands for a list of DOUBLE
  duckdb_type result;
  duckdb_scalar_function_t run;
};

Type type_of(duckdb_type id) { return id == DUCKDB_TYPE_LIST ? Type::list_of(DUCKDB_TYPE_DOUBLE) : Type(id); }

bool add(duckdb_connection connection, const char* name, const std::vector<Overload>& overloads) {
  duckdb_scalar_function_set set = duckdb_create_scalar_function_set(name);
  for (const Overload& o : overloads) {
    duckdb_scalar_function f = duckdb_create_scalar_function();
    duckdb_scalar_function_set_name(f, name);
    for (const duckdb_type parameter : o.parameters)
      duckdb_scalar_function_add_parameter(f, type_of(parameter).get());
    duckdb_scalar_function_set_return_type(f, type_of(o.result).get());
    duckdb_scalar_function_set_special_handling(f);
    duckdb_scalar_function_set_function(f, o.run);
    duckdb_add_scalar_function_to_set(set, f);
    duckdb_destroy_scalar_function(&f);
  }
  const bool done = duckdb_register_scalar_function_set(connection, set) == DuckDBSuccess;
  duckdb_destroy_scalar_function_set(&set);
  return done;
}

}  // namespace

bool register_scalars(duckdb_connection connection) {
  constexpr duckdb_type kBytes = DUCKDB_TYPE_BLOB, kText = DUCKDB_TYPE_VARCHAR, kNumber = DUCKDB_TYPE_DOUBLE,
                        kList = DUCKDB_TYPE_LIST;
  return add(connection, "plumb_value", {{{kBytes, kText}, kNumber, value}}) &&
         add(connection, "plumb_why", {{{kBytes, kText}, kText, why}}) &&
         add(connection, "plumb_json", {{{kBytes}, kText, json}, {{kBytes, kText}, kText, json}}) &&
         add(connection, "plumb_apply",
             {{{kText, kNumber}, kNumber, apply_one}, {{kText, kList}, kList, apply_list}});
}

}  // namespace plumb::duckdb
