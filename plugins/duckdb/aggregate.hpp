// An aggregate over states that are objects: a state of DuckDB is a pointer to one, null until the first row.
#pragma once

#include <string>

#include "api.hpp"

namespace plumb::duckdb {

/// `State` has `State(const Function&)`, `merge(const State&)`, and `finish(const Function&, result, row)`,
/// which leave their sources as they are, because windows use a state several times. `Function` describes one
/// overload; its `update(chunk, states)` adds rows.
template <class Function, class State>
class Aggregate {
 public:
  template <class AddParameters>
  static void add(duckdb_aggregate_function_set set, const std::string& name, Function description,
                  AddParameters add_parameters, duckdb_type result) {
    duckdb_aggregate_function f = duckdb_create_aggregate_function();
    duckdb_aggregate_function_set_name(f, name.c_str());
    add_parameters([&](duckdb_logical_type type) { duckdb_aggregate_function_add_parameter(f, type); });
    duckdb_aggregate_function_set_return_type(f, Type(result).get());
    duckdb_aggregate_function_set_special_handling(f);
    duckdb_aggregate_function_set_extra_info(f, new Function(std::move(description)),
                                             [](void* p) { delete static_cast<Function*>(p); });
    duckdb_aggregate_function_set_functions(f, size, init, update, combine, finalize);
    duckdb_aggregate_function_set_destructor(f, destroy);
    duckdb_add_aggregate_function_to_set(set, f);
    duckdb_destroy_aggregate_function(&f);
  }

  /// The object of a state, made if there is none.
  [[nodiscard]] static State& object(duckdb_aggregate_state state, const Function& f) {
    if (state->internal_ptr == nullptr) state->internal_ptr = new State(f);
    return *static_cast<State*>(state->internal_ptr);
  }

 private:
  static const Function& function(duckdb_function_info info) {
    return *static_cast<const Function*>(duckdb_aggregate_function_get_extra_info(info));
  }
  static void set_error(duckdb_function_info info, const char* text) {
    duckdb_aggregate_function_set_error(info, text);
  }
  static idx_t size(duckdb_function_info) { return sizeof(void*); }
  static void init(duckdb_function_info, duckdb_aggregate_state state) { state->internal_ptr = nullptr; }
  static void destroy(duckdb_aggregate_state* states, idx_t count) {
    for (idx_t i = 0; i < count; ++i) {
      delete static_cast<State*>(states[i]->internal_ptr);
      states[i]->internal_ptr = nullptr;
    }
  }
  static void update(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_aggregate_state* states) {
    guarded(info, set_error, [&] { function(info).update(chunk, states); });
  }
  static void combine(duckdb_function_info info, duckdb_aggregate_state* from, duckdb_aggregate_state* into,
                      idx_t count) {
    guarded(info, set_error, [&] {
      for (idx_t i = 0; i < count; ++i)
        if (from[i]->internal_ptr != nullptr)
          object(into[i], function(info)).merge(*static_cast<const State*>(from[i]->internal_ptr));
    });
  }
  static void finalize(duckdb_function_info info, duckdb_aggregate_state* states, duckdb_vector result,
                       idx_t count, idx_t offset) {
    guarded(info, set_error, [&] {
      for (idx_t i = 0; i < count; ++i) {
        const auto* state = static_cast<const State*>(states[i]->internal_ptr);
        if (state == nullptr) {
          set_null(result, offset + i);
        } else {
          state->finish(function(info), result, offset + i);
        }
      }
    });
  }
};

/// All overloads of one name.
template <class AddAll>
[[nodiscard]] bool register_aggregates(duckdb_connection connection, const std::string& name,
                                       AddAll add_all) {
  duckdb_aggregate_function_set set = duckdb_create_aggregate_function_set(name.c_str());
  add_all(set);
  const bool done = duckdb_register_aggregate_function_set(connection, set) == DuckDBSuccess;
  duckdb_destroy_aggregate_function_set(&set);
  return done;
}

}  // namespace plumb::duckdb
