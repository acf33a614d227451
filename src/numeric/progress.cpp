#include "plumb/numeric/progress.hpp"

#include <algorithm>
#include <utility>

namespace plumb {

Progress::Progress(Listener listener, std::stop_token cancel)
    : listener_(std::move(listener)), cancel_(std::move(cancel)) {}

void Progress::expect(double work) {
  const std::lock_guard lock(mutex_);
  expected_ += work;
}

void Progress::check() const {
  if (cancel_.stop_requested()) throw Cancelled();
}

void Progress::add(double work) {
  check();
  if (!listener_) return;
  const std::lock_guard lock(mutex_);
  done_ += work;
  listener_(std::min(1.0, done_ / expected_));
}

}  // namespace plumb
