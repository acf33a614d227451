// Lines on standard error that replace themselves, when that is a terminal; otherwise nothing is shown.
// Erased when they go out of scope.
#pragma once

#include <functional>
#include <string>

namespace plumb::cli {

class StatusLine {
 public:
  explicit StatusLine(bool wanted);
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;
  ~StatusLine() { clear(); }
  [[nodiscard]] bool active() const { return active_; }
  void show(const std::string& text);
  /// The same without erasing the last line first, which would flicker: for lines of one length.
  void show_over(const std::string& text);
  void clear();

 private:
  bool active_, shown_ = false;
};

class ProgressBar {
 public:
  explicit ProgressBar(bool wanted) : line_(wanted) {}
  /// To be called with the share done; empty when there is no bar.
  [[nodiscard]] std::function<void(double)> callback();

 private:
  void show(double share);
  StatusLine line_;
  int last_ = -1;  // tenths of a percent
};

}  // namespace plumb::cli
