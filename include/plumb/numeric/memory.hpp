// Large arrays on large pages: touching fresh memory 4 KiB at a time can cost more than the work done on it.
#pragma once

#include <cstddef>
#include <vector>

namespace plumb {

/// Requests huge pages for memory not yet touched. A hint: does nothing for less than a few MiB or where
/// there is no such request.
void prefer_huge_pages(void* data, std::size_t bytes);

/// Lets the system hand out memory that was not touched yet, on several threads: it clears every page, which
/// takes longer than filling it. A hint, too.
void hand_out(void* data, std::size_t bytes, int threads);

/// v.resize(n) for a large n.
template <class T>
void resize_large(std::vector<T>& v, std::size_t n, int threads = 1) {
  if (n > v.capacity()) {
    v.reserve(n);
    prefer_huge_pages(v.data() + v.size(), (n - v.size()) * sizeof(T));
    hand_out(v.data() + v.size(), (n - v.size()) * sizeof(T), threads);
  }
  v.resize(n);
}

}  // namespace plumb
