// A file that grows by one record for each finished piece of work, so that a run can be resumed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/io/mapped_file.hpp"

namespace plumb {

/// What a result depends on, as (name, value): compared by name, so that a message can tell what differs.
using Dependencies = std::vector<std::pair<std::string, std::string>>;

/// Eight letters, format, what all records depend on, checksum; then records (length, checksum, name, what it
/// depends on, bytes). A record is on the disk when save() returns. A process that is killed while it writes
/// leaves an incomplete last record: it is not counted, and the next one takes its place.
class Journal {
 public:
  /// Begins the file, or opens one that depends on the same. InputError: it depends on something else, is
  /// damaged, is no such file, or another process writes to it.
  Journal(std::string path, const Dependencies& on);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal();

  /// The bytes saved under this name, if there are any; InputError when they depend on something else.
  [[nodiscard]] std::optional<std::string> load(const std::string& name, const Dependencies& on) const;
  void save(const std::string& name, const Dependencies& on, std::string_view bytes);

  struct Record {
    Dependencies on;
    std::string_view bytes;
  };
  /// The records of a file's bytes, which they refer to, and where the last whole one ends; for files of
  /// any origin.
  [[nodiscard]] static std::map<std::string, Record> parse(std::string_view bytes, const std::string& path,
                                                           Dependencies& on, std::size_t& end);

 private:
  void append(std::string_view bytes);

  std::string path_;
  int fd_ = -1;
  std::shared_ptr<const MappedFile> file_;  // as it was opened
  std::map<std::string, Record> records_;
};

}  // namespace plumb
