#include "shell/signals.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>

#include "plumb/io/atomic_file.hpp"

namespace plumb::cli {
namespace {

std::atomic<int> received{0};

extern "C" void end_process(int number) {
  remove_unfinished_files();
  ::_exit(128 + number);
}

extern "C" void ask_first(int number) {
  if (received.exchange(number) != 0) end_process(number);
}

void install(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    // A process started with the signal ignored (nohup) keeps ignoring it.
    if (::sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    ::sigaction(number, &action, nullptr);
  }
  std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace

void end_on_signal() { install(end_process); }
void ask_on_signal() { install(ask_first); }
int signal_received() { return received.load(); }

}  // namespace plumb::cli
