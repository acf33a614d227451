// The entry point. DuckDB checks the platform and the version of the API that the end of the file names
// (stamp.cmake); what it hands over is checked again here, so that a mismatch is an error and never a crash.
#include "api.hpp"

#include <cctype>

duckdb_ext_api_v1 duckdb_ext_api = {};

namespace plumb::duckdb {

std::string sentence_of(const std::exception& e) {
  const auto* bad_input = dynamic_cast<const InputError*>(&e);
  std::string text = bad_input != nullptr ? spell(bad_input->sentence(), kBareName) : e.what();
  for (const std::string row : {", row ", " row "}) {
    const std::size_t at = text.find(row);
    if (at == std::string::npos) continue;
    std::size_t end = at + row.size();
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    if (end > at + row.size()) text.erase(at, end - at);
    break;
  }
  return "plumb: " + text;
}

namespace {

/// The API's names are macros for members of its struct; of those that are called the last ones of each kind.
bool complete() {
  return duckdb_connect != nullptr && duckdb_disconnect != nullptr && duckdb_create_logical_type != nullptr &&
         duckdb_create_list_type != nullptr && duckdb_register_aggregate_function_set != nullptr &&
         duckdb_register_scalar_function_set != nullptr && duckdb_vector_get_data != nullptr &&
         duckdb_vector_assign_string_element_len != nullptr && duckdb_list_vector_reserve != nullptr &&
         duckdb_aggregate_function_set_error != nullptr && duckdb_scalar_function_set_error != nullptr;
}

bool start(duckdb_extension_info info, duckdb_extension_access* access) {
  const auto refuse = [&](const char* why) {
    if (access->set_error != nullptr) access->set_error(info, why);
    return false;
  };
  const auto* api = static_cast<const duckdb_ext_api_v1*>(access->get_api(info, "v1.2.0"));
  if (api == nullptr) return refuse("plumb needs DuckDB 1.2 or later, whose C API has the struct v1.2.0");
  duckdb_ext_api = *api;
  if (!complete())
    return refuse("plumb: this DuckDB's C API is not the struct v1.2.0; plumb needs DuckDB 1.2 or later");
  duckdb_database* database = access->get_database != nullptr ? access->get_database(info) : nullptr;
  duckdb_connection connection = nullptr;
  if (database == nullptr || duckdb_connect(*database, &connection) == DuckDBError)
    return refuse("plumb: no connection to the database");
  bool done = false;
  try {
    done = register_states(connection) && register_direct(connection) && register_scalars(connection);
  } catch (const std::exception&) {
    done = false;
  }
  duckdb_disconnect(&connection);
  return done || refuse("plumb: its functions could not be registered; are others of these names there?");
}

}  // namespace
}  // namespace plumb::duckdb

extern "C" DUCKDB_CAPI_ENTRY_VISIBILITY bool plumb_init_c_api(duckdb_extension_info info,
                                                              duckdb_extension_access* access) {
  if (access == nullptr || access->get_api == nullptr) return false;
  return plumb::duckdb::start(info, access);
}
