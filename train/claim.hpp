// Locks a folder, so that one process at a time works on it.
#pragma once

#include <string>

#include "plumb/data/check.hpp"

namespace plumb::train {

/// Another process is working on the run.
class Busy : public InputError {
 public:
  explicit Busy(const std::string& folder)
      : InputError("another process is working on " + folder +
                   "; wait for it, stop it, or choose another ⟦out⟧") {}
};

/// A lock on a separate file. The system releases it when the process ends, so a killed process blocks no
/// other; the owner removes the file at the end.
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
