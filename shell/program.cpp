#include "shell/program.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <exception>
#include <new>
#include <stdexcept>
#include <string_view>

#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/mapped_file.hpp"
#include "shell/console.hpp"

namespace plumb::cli {
namespace {

std::atomic<int> received{0};

extern "C" void end_process(int number) {
  remove_unfinished_files();
  ::_exit(128 + number);
}

extern "C" void note_signal(int number) {
  if (received.exchange(number) != 0) end_process(number);
}

// A file was truncated after it was mapped; the access cannot be resumed.
extern "C" void end_on_bus_error(int number, siginfo_t* info, void*) {
  const char* const path = mapped_path(info->si_addr);
  if (path == nullptr) {
    std::signal(number, SIG_DFL);  // something else: the access is repeated and ends the process
    return;
  }
  static std::atomic_flag written;  // several threads may get here at once; only one writes
  while (written.test_and_set()) ::pause();
  remove_unfinished_files();
  const auto write_stderr = [](std::string_view text) { (void)write_all(STDERR_FILENO, text); };
  write_stderr("plumb: ");
  for (const char* c = path; *c != '\0'; ++c)
    write_stderr(static_cast<unsigned char>(*c) < 0x20 || *c == 0x7f ? std::string_view("?")
                                                                     : std::string_view(c, 1));
  write_stderr(
      " became shorter while it was being read; wait until it is complete and run the command again\n");
  ::_exit(kBadInput);
}

void install_bus_error() {
  struct sigaction action {};
  action.sa_sigaction = end_on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, nullptr);
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
  install_bus_error();
}

}  // namespace

int run_program(const std::function<int()>& program, const std::string& out_of_memory) {
  constexpr const char* kReport = "; please report this with the command that you ran";
  try {
    return program();
  } catch (const InputError& e) {
    say(e.sentence());
    return kBadInput;
  } catch (const std::range_error& e) {
    say(std::string(e.what()) +
        ": scale weights, counts or options so that they stay between 1e-30 and 1e30 of each other");
    return kBadInput;
  } catch (const std::bad_alloc&) {
    say(out_of_memory);
  } catch (const std::exception& e) {
    const std::string text = e.what();  // LibTorch adds a stack trace after the first line
    say("internal failure: " + text.substr(0, text.find('\n')) + kReport);
  } catch (...) {
    say(std::string("internal failure of unknown kind") + kReport);
  }
  return kInternalFailure;
}

void end_on_signal() { install(end_process); }
void ask_on_signal() { install(note_signal); }
int signal_received() { return received.load(); }

}  // namespace plumb::cli
