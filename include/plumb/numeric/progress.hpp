// How far long work is: one counter that loops on any thread add to. It tells a listener the share done and
// stops the work when the caller asks for it.
#pragma once

#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>

namespace plumb {

/// Thrown out of long work once the caller's stop token says so. Nothing was written.
class Cancelled : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "cancelled by the caller"; }
};

class Progress {
 public:
  using Listener = std::function<void(double share)>;
  Progress() = default;  ///< nobody listens, and nothing stops it
  Progress(Listener listener, std::stop_token cancel);
  /// Adds to the work that makes up the whole; before the loop that does it.
  void expect(double work);
  /// Throws Cancelled when asked to stop; for work that is too short to be counted.
  void check() const;
  /// So much more is done. Calls the listener from one thread at a time; throws Cancelled when asked to stop.
  void add(double work);

 private:
  Listener listener_;
  std::stop_token cancel_;
  std::mutex mutex_;
  double expected_ = 0, done_ = 0;
};

}  // namespace plumb
