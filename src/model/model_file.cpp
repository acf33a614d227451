#include "plumb/model/model_file.hpp"

#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/mapped_file.hpp"

namespace plumb {

CalibrationModel load_model(const std::string& path) {
  constexpr std::size_t kLargest = std::size_t{1} << 30;
  const auto file = MappedFile::open(path);
  const auto bytes = file->bytes();
  if (bytes.size() > kLargest) throw InputError(path + " is not a calibrator: it is larger than 1 GB");
  return parse_model({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

void save_model(const CalibrationModel& model, const std::string& path) {
  write_file(path, model_text(model));
}

}  // namespace plumb
