// DuckDB's stable C API, struct v1.2: any DuckDB from 1.2 on loads the same file.
#pragma once

#define DUCKDB_EXTENSION_API_VERSION_MAJOR 1
#define DUCKDB_EXTENSION_API_VERSION_MINOR 2
#define DUCKDB_EXTENSION_API_VERSION_PATCH 0
#include <duckdb_extension.h>

#include <exception>
#include <string>

#include "plumb/data/check.hpp"

DUCKDB_EXTENSION_EXTERN

namespace plumb::duckdb {

/// A type of DuckDB, destroyed with the scope.
class Type {
 public:
  explicit Type(duckdb_type id) : type_(duckdb_create_logical_type(id)) {}
  [[nodiscard]] static Type list_of(duckdb_type id) {
    const Type child(id);
    return Type(duckdb_create_list_type(child.type_));
  }
  Type(const Type&) = delete;
  Type& operator=(const Type&) = delete;
  ~Type() { duckdb_destroy_logical_type(&type_); }
  [[nodiscard]] duckdb_logical_type get() const { return type_; }

 private:
  explicit Type(duckdb_logical_type type) : type_(type) {}
  duckdb_logical_type type_;
};

/// The sentence of an error, without row numbers: SQL has no order, and the rows of a chunk have no number.
[[nodiscard]] std::string sentence_of(const std::exception& e);

/// Runs `body`; whatever it throws becomes the error of the query. Nothing may be thrown through DuckDB.
template <class SetError, class Body>
void guarded(duckdb_function_info info, SetError set_error, Body body) {
  try {
    body();
  } catch (const std::exception& e) {
    set_error(info, sentence_of(e).c_str());
  } catch (...) {
    set_error(info, "plumb: an unknown error");
  }
}

[[nodiscard]] inline bool is_null(duckdb_vector vector, idx_t row) {
  std::uint64_t* validity = duckdb_vector_get_validity(vector);
  return validity != nullptr && !duckdb_validity_row_is_valid(validity, row);
}

inline void set_null(duckdb_vector vector, idx_t row) {
  duckdb_vector_ensure_validity_writable(vector);
  duckdb_validity_set_row_invalid(duckdb_vector_get_validity(vector), row);
}

/// Text or bytes; refers to the vector's memory.
[[nodiscard]] inline std::string_view text_at(duckdb_vector vector, idx_t row) {
  auto* texts = static_cast<duckdb_string_t*>(duckdb_vector_get_data(vector));
  return {duckdb_string_t_data(texts + row), duckdb_string_t_length(texts[row])};
}

template <class T>
[[nodiscard]] T* values_of(duckdb_vector vector) {
  return static_cast<T*>(duckdb_vector_get_data(vector));
}

// Each file registers its functions; false: DuckDB refused one.
[[nodiscard]] bool register_states(duckdb_connection connection);
[[nodiscard]] bool register_direct(duckdb_connection connection);
[[nodiscard]] bool register_scalars(duckdb_connection connection);

}  // namespace plumb::duckdb
