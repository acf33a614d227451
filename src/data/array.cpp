#include "plumb/data/array.hpp"

#include <functional>
#include <numeric>
#include <stdexcept>

#include "data/widen.hpp"

namespace plumb {

const char* dtype_name(DType t) {
  constexpr const char* kNames[] = {"int8",   "int16",  "int32",   "int64",   "uint8",   "uint16",
                                    "uint32", "uint64", "float16", "float32", "float64", "text"};
  return kNames[static_cast<std::size_t>(t)];
}

int dtype_size(DType t) {
  int size = 0;
  detail::with_stored_type(t, [&]<class T>(std::type_identity<T>) { size = sizeof(T); });
  return size;
}

void detail::set_c_order(Array& a) {
  std::int64_t stride = dtype_size(a.dtype);
  a.strides.resize(a.shape.size());
  for (std::size_t d = a.shape.size(); d-- > 0;) {
    a.strides[d] = stride;
    stride *= a.shape[d];
  }
}

std::int64_t Array::size() const {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

bool Array::is_contiguous() const {
  if (dtype == DType::text || size() == 0) return true;
  std::int64_t expected = dtype_size(dtype);
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (shape[d] != 1 && strides[d] != expected) return false;
    expected *= shape[d];
  }
  return true;
}

namespace {

/// C order, and a check that the shape holds as many elements as there are.
void finish(Array& a, std::int64_t elements) {
  detail::set_c_order(a);
  if (a.size() == elements) return;
  throw std::invalid_argument(a.name + ": the shape requires " + std::to_string(a.size()) +
                              " elements, there are " + std::to_string(elements));
}

}  // namespace

template <class T>
Array view_of(std::span<const T> values, std::vector<std::int64_t> shape, std::string name) {
  Array a;
  a.dtype = detail::dtype_of<T>();
  a.shape = std::move(shape);
  a.data = reinterpret_cast<const std::byte*>(values.data());
  a.name = std::move(name);
  finish(a, values.size());
  return a;
}
template Array view_of(std::span<const double>, std::vector<std::int64_t>, std::string);
template Array view_of(std::span<const float>, std::vector<std::int64_t>, std::string);
template Array view_of(std::span<const std::int32_t>, std::vector<std::int64_t>, std::string);
template Array view_of(std::span<const std::int64_t>, std::vector<std::int64_t>, std::string);
template Array view_of(std::span<const std::uint8_t>, std::vector<std::int64_t>, std::string);

Array array_of(Texts texts, std::vector<std::int64_t> shape, std::string name) {
  texts.close();
  Array a;
  a.dtype = DType::text;
  a.shape = std::move(shape);
  a.text = std::make_shared<const Texts>(std::move(texts));
  a.name = std::move(name);
  finish(a, a.text->size());
  return a;
}

template <class T>
Array array_of(std::vector<T> values, std::vector<std::int64_t> shape, std::string name) {
  if constexpr (std::is_same_v<T, std::string>) {
    return array_of(Texts(values), std::move(shape), std::move(name));
  } else {
    const auto kept = std::make_shared<const std::vector<T>>(std::move(values));
    Array a = view_of(std::span<const T>(*kept), std::move(shape), std::move(name));
    a.owner = kept;
    return a;
  }
}
template Array array_of(std::vector<double>, std::vector<std::int64_t>, std::string);
template Array array_of(std::vector<float>, std::vector<std::int64_t>, std::string);
template Array array_of(std::vector<std::int32_t>, std::vector<std::int64_t>, std::string);
template Array array_of(std::vector<std::int64_t>, std::vector<std::int64_t>, std::string);
template Array array_of(std::vector<std::uint8_t>, std::vector<std::int64_t>, std::string);
template Array array_of(std::vector<std::string>, std::vector<std::int64_t>, std::string);

template <class T>
const T* Rows::contiguous(std::int64_t begin, std::int64_t end) const {
  const std::size_t s = shard_of(begin);
  if (s >= shards_.size() || end > start_[s] + shards_[s].shape[0]) return nullptr;
  const Array& a = shards_[s];
  if (a.dtype != detail::dtype_of<T>() || (a.swapped && sizeof(T) > 1) || !a.is_contiguous()) return nullptr;
  if (reinterpret_cast<std::uintptr_t>(a.data) % alignof(T) != 0) return nullptr;
  return reinterpret_cast<const T*>(a.data) + (begin - start_[s]) * width_;
}
template const float* Rows::contiguous<float>(std::int64_t, std::int64_t) const;
template const double* Rows::contiguous<double>(std::int64_t, std::int64_t) const;
template const std::uint8_t* Rows::contiguous<std::uint8_t>(std::int64_t, std::int64_t) const;
template const std::int32_t* Rows::contiguous<std::int32_t>(std::int64_t, std::int64_t) const;
template const std::int64_t* Rows::contiguous<std::int64_t>(std::int64_t, std::int64_t) const;

}  // namespace plumb
