// Work without the interpreter's lock, which Ctrl-C still ends.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

namespace plumb::python {

namespace nb = nanobind;

/// What the core takes to tell how far it is and to be stopped.
struct Hooks {
  std::function<void(double)> progress = {};
  std::stop_token cancel = {};
};

/// Short work runs at once. Long work runs on a thread of its own while this one, which may be Python's main
/// thread, looks for signals and tells `progress` (a callable or None) the share done.
template <class Work>
auto run(bool is_long, const nb::object& progress, Work work) -> decltype(work(Hooks{})) {
  if (!is_long && progress.is_none()) {
    const nb::gil_scoped_release without_lock;
    return work(Hooks{});
  }
  std::optional<decltype(work(Hooks{}))> out;
  std::exception_ptr error;
  std::stop_source stop;
  std::atomic<double> share{0};
  std::mutex mutex;
  std::condition_variable ended;
  bool done = false;
  std::thread worker([&] {
    try {
      out = work(Hooks{[&](double x) { share = x; }, stop.get_token()});
    } catch (...) {
      error = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    done = true;
    ended.notify_one();
  });
  std::optional<nb::python_error> interrupted;
  const auto wait = [&] {
    const nb::gil_scoped_release without_lock;
    std::unique_lock lock(mutex);
    return ended.wait_for(lock, std::chrono::milliseconds(50), [&] { return done; });
  };
  while (!wait()) {
    if (interrupted) continue;
    try {
      if (PyErr_CheckSignals() != 0) nb::raise_python_error();
      if (!progress.is_none()) progress(share.load());
    } catch (nb::python_error& e) {
      interrupted.emplace(std::move(e));
      stop.request_stop();
    }
  }
  worker.join();
  if (interrupted) throw std::move(*interrupted);
  if (error) std::rethrow_exception(error);
  if (!progress.is_none()) progress(1.0);
  return std::move(*out);
}

}  // namespace plumb::python
