#include "shell/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "shell/console.hpp"

namespace plumb::cli {

StatusLine::StatusLine(bool wanted) : active_(wanted && ::isatty(STDERR_FILENO) != 0) {}

void StatusLine::show(const std::string& text) { show_over("\x1b[K" + text); }

void StatusLine::show_over(const std::string& text) {
  (void)write_all(STDERR_FILENO, "\r" + text);
  shown_ = true;
}

void StatusLine::clear() {
  if (shown_) show("");
  shown_ = false;
}

std::function<void(double)> ProgressBar::callback() {
  if (!line_.active()) return {};
  return [this](double share) { show(share); };
}

void ProgressBar::show(double share) {
  const int now = static_cast<int>(std::clamp(share, 0.0, 1.0) * 1000);
  if (now == last_) return;
  last_ = now;
  constexpr int kWidth = 40;
  const int full = now * kWidth / 1000;
  char percent[16];
  std::snprintf(percent, sizeof percent, "] %5.1f%%", now / 10.0);
  line_.show_over("[" + std::string(full, '#') + std::string(kWidth - full, ' ') + percent);
}

}  // namespace plumb::cli
