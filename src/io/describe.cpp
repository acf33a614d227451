#include "plumb/io/describe.hpp"

#include <algorithm>
#include <set>

#include "io/describe_facts.hpp"
#include "io/format.hpp"
#include "plumb/io/mapped_file.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb {
namespace {

using detail::NumberFacts;

constexpr std::size_t kMostDistinct = 20;

/// The array as rows of its last axis where memory allows to see it so;
/// rows of Fortran order are read as they are.
Rows along_last_axis(const Array& a) {
  if (a.shape.size() < 3 || !a.is_contiguous()) return Rows(a);
  Array flat = a;
  const std::int64_t last = a.shape.back();
  flat.shape = {last > 0 ? a.size() / last : 0, last};
  flat.strides = {last * dtype_size(a.dtype), dtype_size(a.dtype)};
  return Rows(flat);
}

NumberFacts facts_of(const Array& a, int threads) {
  const Rows rows = along_last_axis(a);
  const std::int64_t last = a.shape.back();
  const std::int64_t block = std::max<std::int64_t>(1, 65536 / std::max<std::int64_t>(1, rows.width()));
  const bool table = a.shape.size() > 1;
  return parallel_reduce_blocks(
      rows.rows(), block, threads, NumberFacts{},
      [&](NumberFacts& f, std::int64_t begin, std::int64_t end) {
        std::vector<double> values((end - begin) * rows.width());
        rows.read(begin, end, values);
        for (const double x : values) f.add(x);
        for (std::int64_t i = 0; table && last > 0 && i < std::ssize(values); i += last) {
          double sum = 0;
          for (std::int64_t k = 0; k < last; ++k) sum += values[i + k];
          f.add_sum(sum);
        }
      },
      [](NumberFacts& into, const NumberFacts& from) { into.merge(from); });
}

void describe_text(const Array& a, ArrayInfo& info) {
  std::set<std::string> seen;
  for (std::int64_t i = 0; i < a.text->size(); ++i) {
    const auto [text, fresh] = seen.emplace((*a.text)[i]);
    if (!fresh) continue;
    info.distinct.push_back(*text);
    if (info.distinct.size() <= kMostDistinct) continue;
    info.distinct.clear();
    break;
  }
  detail::conclude_text(info);
}

}  // namespace

void detail::describe_array(const Array& a, int threads, ArrayInfo& info) {
  info.shape = a.shape;
  info.dtype = a.dtype;
  info.swapped = a.swapped;
  info.fortran = !a.is_contiguous();
  if (a.dtype == DType::text) return describe_text(a, info);
  if (a.shape.empty() || a.size() == 0) return;
  detail::conclude(facts_of(a, threads), info);
}

std::vector<ArrayInfo> describe_file(const std::string& path, int threads) {
  const auto file = MappedFile::open(path);
  return detail::format_of(file->path(), file->bytes()).describe(file, path, threads);
}

}  // namespace plumb
