// Who works on a folder: one process at a time.
#pragma once

#include <string>

#include "plumb/data/check.hpp"

namespace plumb::train {

/// Another process works on the run.
class Busy : public InputError {
 public:
  explicit Busy(const std::string& folder)
      : InputError("another process works on " + folder +
                   "; wait until it is done, end it, or choose another ⟦out⟧") {}
};

/// A lock on a file of its own. The system drops it with the process, so that a killed one blocks nobody; who
/// holds it removes the file in the end.
class Claim {
 public:
  explicit Claim(std::string path);
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;
  ~Claim();
  [[nodiscard]] bool held() const { return held_; }

 private:
  std::string path_;
  int fd_ = -1;
  bool held_ = false, locked_ = false;
};

}  // namespace plumb::train
