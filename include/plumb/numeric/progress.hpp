// Progress of long work: one counter that loops on any thread add to. It reports the share done to a listener
// and stops the work when the caller asks for it.
#pragma once

#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>

namespace plumb {

/// Thrown by long work after the caller requested a stop. Nothing was written.
class Cancelled : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "cancelled by the caller"; }
};

class Progress {
 public:
  using Listener = std::function<void(double share)>;
  Progress() = default;  ///< no listener, cannot be stopped
  Progress(Listener listener, std::stop_token cancel);
  /// Adds to the total work; called before the loop that does it.
  void expect(double work);
  /// Throws Cancelled when asked to stop; for work that is too short to be counted.
  void check() const;
  /// Reports more work as done. Calls the listener from one thread at a time; throws Cancelled when asked
  /// to stop.
  void add(double work);

 private:
  Listener listener_;
  std::stop_token cancel_;
  std::mutex mutex_;
  double expected_ = 0, done_ = 0;
};

}  // namespace plumb
