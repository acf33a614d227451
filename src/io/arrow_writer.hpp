// A Parquet or Arrow file that is written by batches, through the plugin; it appears complete or not at all.
#pragma once

#include <exception>
#include <span>
#include <string>
#include <vector>

#include "io/arrow_export.hpp"
#include "plumb/io/arrow_plugin.hpp"
#include "plumb/io/atomic_file.hpp"

namespace plumb::detail {

class ArrowWriter {
 public:
  /// The columns give names and types.
  ArrowWriter(const std::string& path, std::span<const ArrowOut> columns);
  ArrowWriter(const ArrowWriter&) = delete;
  ArrowWriter& operator=(const ArrowWriter&) = delete;
  ~ArrowWriter();

  void append(std::vector<ArrowOut> columns);
  void settle();
  void commit();

 private:
  void check(int failed, const PlumbArrowError& error);

  struct Sink {
    AtomicFile* file;
    std::exception_ptr* trouble;
  };
  static int write_bytes(void* sink, const void* bytes, std::int64_t size);

  const PlumbArrowPlugin& library_;
  AtomicFile file_;
  std::exception_ptr trouble_;  // of the file, kept until Arrow's frames are left
  Sink sink_;
  void* writer_ = nullptr;
  bool finished_ = false;
};

}  // namespace plumb::detail
