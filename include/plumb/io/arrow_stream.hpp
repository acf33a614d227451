// Tables that come as an Arrow C stream: batches of columns from a Parquet file, a data frame or a database.
// Here they become the same arrays that a CSV gives.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "plumb/data/array.hpp"
#include "plumb/io/arrow_c.hpp"
#include "plumb/io/csv.hpp"

namespace plumb {

struct ArrowReadOptions {
  Want want = Want::numbers;
  bool empty_is_nan = false;  ///< null is NaN instead of an error
  std::shared_ptr<const void>
      owner;  ///< kept alive as long as the array, which may lie in the batch's memory
  /// Bytes of numbers that stay in memory; more go to an unnamed temporary file. 0: 64 MiB for all arrays of
  /// the process together.
  std::size_t most_memory = 0;
  std::string remedy = {};  ///< what a message advises when the stream fails; ends a sentence
};

/// Names of the columns that a selection can name: a field, or the field b of a struct a as a.b.
[[nodiscard]] std::vector<std::string> arrow_column_names(const ArrowSchema& schema, const std::string& name);
/// The fields of the schema, numbered from 0 and in their order, that a selection needs.
[[nodiscard]] std::vector<int> arrow_fields(const ArrowSchema& schema, const std::string& name,
                                            const std::string& selection);

/// All rows of a stream of tables, or of a column by itself. `selection` as in parse_csv(). Whole numbers,
/// floats, bool and text, also dictionary-encoded; lists of K values give N x K. Numbers keep their type
/// unless columns of different types stand side by side, which gives float64. One batch of one column is
/// not copied. int64 ids (Want::names) beyond 2^53 become text, so that none is rounded. The stream is
/// taken over: it is released in any case. `name` is what messages call it. Throws InputError with row,
/// column and value.
[[nodiscard]] Array read_arrow_stream(ArrowArrayStream* stream, const std::string& name,
                                      const std::string& selection, const ArrowReadOptions& options = {});
/// The same of one array: a batch, or a column by itself. Both structs are taken over.
[[nodiscard]] Array read_arrow_array(ArrowSchema* schema, ArrowArray* array, const std::string& name,
                                     const ArrowReadOptions& options = {});

}  // namespace plumb
