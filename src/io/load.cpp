#include "plumb/io/load.hpp"

#include <algorithm>

#include "io/format.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/mapped_file.hpp"

namespace plumb {

Array load_one(const Source& source, const LoadOptions& options) {
  const auto file = MappedFile::open(source.path);
  const Source named{file->path(), source.selection};  // standard input by its name
  const Array a = detail::format_of(named.path, file->bytes()).read(file, named, options);
  if (options.want == Want::numbers && a.dtype == DType::text)
    throw InputError(a.name + " holds text where numbers are needed");
  if (a.shape.size() > 1 && a.shape[0] > 0 && a.size() == 0)
    throw InputError(a.name + " has rows without values (" + show_shape(a.shape) + ")");
  return a;
}

Rows load(std::span<const std::string> specs, const LoadOptions& options) {
  const std::vector<Source> sources = resolve(specs);
  std::vector<Array> arrays;
  for (const Source& s : sources) arrays.push_back(load_one(s, options));
  const auto is_text = [](const Array& a) { return a.dtype == DType::text; };
  const bool both = options.want == Want::either || options.want == Want::names;
  if (both && std::any_of(arrays.begin(), arrays.end(), is_text)) {
    LoadOptions as_text = options;
    as_text.want = Want::text;
    for (std::size_t i = 0; i < arrays.size(); ++i)
      if (!is_text(arrays[i])) arrays[i] = load_one(sources[i], as_text);
  }
  return Rows(std::move(arrays));
}

}  // namespace plumb
