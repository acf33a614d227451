#include "plumb/io/arrow_stream.hpp"

#include <algorithm>

#include "io/arrow_reason.hpp"
#include "io/arrow_table.hpp"
#include "plumb/data/check.hpp"

namespace plumb {
namespace {

using namespace detail;

struct StreamEnd {
  ArrowArrayStream* stream;
  ~StreamEnd() {
    if (stream->release != nullptr) stream->release(stream);
  }
};

struct TakenSchema {
  ArrowSchema it{};
  ~TakenSchema() {
    if (it.release != nullptr) it.release(&it);
  }
};

[[noreturn]] void fail_stream(ArrowArrayStream* stream, const std::string& name, const std::string& remedy) {
  const char* const said = stream->get_last_error != nullptr ? stream->get_last_error(stream) : nullptr;
  const std::string why = arrow_reason(said == nullptr ? "" : said);
  throw InputError(name + " cannot be read" + (remedy.empty() ? ": " + why : " (" + why + "); " + remedy));
}

/// Null at the end.
std::shared_ptr<ArrowArray> next_batch(ArrowArrayStream* stream, const std::string& name,
                                       const std::string& remedy) {
  std::shared_ptr<ArrowArray> batch(new ArrowArray{}, [](ArrowArray* a) {
    if (a->release != nullptr) a->release(a);
    delete a;
  });
  if (stream->get_next(stream, batch.get()) != 0) fail_stream(stream, name, remedy);
  if (batch->release == nullptr) return nullptr;
  if (batch->length < 0 || batch->offset < 0)
    throw InputError(name + " has an Arrow batch of " + std::to_string(batch->length) + " rows");
  return batch;
}

/// A stream of one batch, which is given away once.
struct OneBatch {
  ArrowSchema schema{};
  ArrowArray array{};

  OneBatch(ArrowSchema& s, ArrowArray& a) : schema(s), array(a) {
    s.release = nullptr;  // moved, as the interface has it
    a.release = nullptr;
  }
  OneBatch(const OneBatch&) = delete;
  OneBatch& operator=(const OneBatch&) = delete;
  ~OneBatch() {
    if (schema.release != nullptr) schema.release(&schema);
    if (array.release != nullptr) array.release(&array);
  }
  [[nodiscard]] ArrowArrayStream stream() {
    const auto none = [](ArrowArrayStream*) -> const char* { return nullptr; };
    return {[](ArrowArrayStream* s, ArrowSchema* out) { return give(held(s).schema, *out); },
            [](ArrowArrayStream* s, ArrowArray* out) { return give(held(s).array, *out); }, none,
            [](ArrowArrayStream* s) { s->release = nullptr; }, this};
  }

 private:
  static OneBatch& held(ArrowArrayStream* s) { return *static_cast<OneBatch*>(s->private_data); }
  template <class T>
  static int give(T& from, T& to) {
    to = from;  // the second time it is empty: the end
    from.release = nullptr;
    return 0;
  }
};

Array all_rows(ArrowArrayStream* stream, ArrowTable& table, const std::string& name,
               const std::string& remedy) {
  const auto next = [&] { return next_batch(stream, name, remedy); };
  const std::shared_ptr<const ArrowArray> first = next();
  if (first == nullptr) return table.finish();
  std::shared_ptr<const ArrowArray> batch = next();
  Array a;
  if (batch == nullptr && table.lend(first, a)) return a;
  table.add(*first);
  for (; batch != nullptr; batch = next()) table.add(*batch);
  return table.finish();
}

}  // namespace

Array read_arrow_stream(ArrowArrayStream* stream, const std::string& name, const std::string& selection,
                        const ArrowReadOptions& options) {
  const StreamEnd end{stream};
  if (stream->release == nullptr || stream->get_schema == nullptr || stream->get_next == nullptr)
    throw InputError(name + " is an Arrow stream that has been read already");
  TakenSchema schema;
  if (stream->get_schema(stream, &schema.it) != 0) fail_stream(stream, name, options.remedy);
  const std::vector<ArrowColumn> picked = select_arrow(columns_of_schema(schema.it, name), name, selection);
  ArrowTable table(name, picked, options);
  Array a = all_rows(stream, table, name, options.remedy);
  a.name = selection.empty() ? name : name + ":" + selection;
  const bool lists = std::any_of(picked.begin(), picked.end(),
                                 [](const ArrowColumn& c) { return c.list != ArrowList::none; });
  for (const ArrowColumn& c : picked)
    if (!lists && !c.path.empty()) a.columns.push_back(c.name);  // the values of a list have no names
  return a;
}

Array read_arrow_array(ArrowSchema* schema, ArrowArray* array, const std::string& name,
                       const ArrowReadOptions& options) {
  if (schema->release == nullptr || array->release == nullptr)
    throw InputError(name + " is an Arrow array that has been read already");
  OneBatch batch(*schema, *array);
  ArrowArrayStream stream = batch.stream();
  return read_arrow_stream(&stream, name, "", options);
}

}  // namespace plumb
