#include "browser.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/mapped_file.hpp"

extern char** environ;

namespace plumb::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNoBrowser = "; write the page with --report and print it from a browser of your own";

std::chrono::milliseconds time_limit() {
  const char* given = std::getenv("PLUMB_CHROMIUM_SECONDS");  // for slow machines, and for tests
  const double seconds = given == nullptr ? 0 : std::atof(given);
  return std::chrono::milliseconds(seconds > 0 ? static_cast<long>(1000 * seconds) : 120'000);
}

std::atomic<int> held_signal{0};
extern "C" void hold_signal(int number) { held_signal = number; }

/// Signals that end the process wait until the browser and its folder are gone, and are raised again then.
class HeldSignals {
 public:
  HeldSignals() {
    struct sigaction action {};
    action.sa_handler = hold_signal;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      ::sigaction(kSignals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
    }
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
    if (const int number = held_signal.exchange(0); number != 0) ::raise(number);
  }

 private:
  static constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> before_{};
};

/// A folder that goes away with all that the browser leaves in it.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (fs::temp_directory_path() / "plumb-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
      throw InputError("--pdf needs a temporary folder, and none can be created in " +
                       fs::temp_directory_path().string() + kNoBrowser);
    path_ = pattern;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

/// In a group of its own, which is ended as a whole: a browser is many processes.
pid_t start(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO})  // silences messages about graphics cards
    posix_spawn_file_actions_addopen(&files, descriptor, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t child = 0;
  const int error = ::posix_spawn(&child, words.front().c_str(), &files, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw InputError("--pdf: " + words.front() + " cannot be started" + kNoBrowser);
  return child;
}

void wait_for(pid_t child, const std::string& browser) {
  const auto limit = time_limit();
  const auto end = std::chrono::steady_clock::now() + limit;
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    const bool told = held_signal != 0;
    if (told || std::chrono::steady_clock::now() > end) {
      ::kill(-child, SIGKILL);
      ::waitpid(child, &status, 0);
      if (told) throw InputError("--pdf: interrupted");  // ends as the signal does, see HeldSignals
      throw InputError("--pdf: " + browser + " had not printed the page after " +
                       show(static_cast<double>(limit.count()) / 1000) + " seconds and was stopped" +
                       kNoBrowser);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ::kill(-child, SIGKILL);  // what it may have left behind
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw InputError("--pdf: " + browser + " failed to print the page" + kNoBrowser);
}

/// The browser's dates, digit for digit, so that no offset in the file changes.
void set_dates(std::string& pdf, const std::string& date) {
  std::string digits;
  for (const char c : date)
    if (c != '-') digits += c;
  digits.resize(14, '0');
  for (const char* key : {"/CreationDate (D:", "/ModDate (D:"})
    for (std::size_t at = pdf.find(key); at != std::string::npos; at = pdf.find(key, at + 1)) {
      const std::size_t from = at + std::string_view(key).size();
      if (from + digits.size() <= pdf.size()) pdf.replace(from, digits.size(), digits);
    }
}

}  // namespace

std::string find_browser() {
  if (const char* given = std::getenv("PLUMB_CHROMIUM"); given != nullptr && *given != '\0') {
    if (::access(given, X_OK) == 0) return given;
    throw InputError(std::string("--pdf: PLUMB_CHROMIUM is ") + given + ", which is not a program" +
                     kNoBrowser);
  }
  const char* path = std::getenv("PATH");
  const std::string folders = path == nullptr ? "" : path;
  for (const char* name : {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"})
    for (std::size_t at = 0; at < folders.size();) {
      const std::size_t end = std::min(folders.find(':', at), folders.size());
      const fs::path program = fs::path(folders.substr(at, end - at)) / name;
      if (program.is_absolute() && ::access(program.c_str(), X_OK) == 0) return program.string();
      at = end + 1;
    }
  throw InputError(
      std::string(
          "--pdf prints the report with Chromium, which is not on the PATH; install it (Debian: chromium)") +
      ", or write the page with --report and print it from a browser of your own");
}

std::string print_page(const std::string& browser, std::string_view html, const std::string& date) {
  const HeldSignals signals;
  const ScratchFolder folder;
  write_file(folder.file("page.html"), html);
  std::vector<std::string> words{browser,
                                 "--headless",
                                 "--disable-gpu",
                                 "--disable-background-networking",
                                 "--disable-component-update",
                                 "--disable-sync",
                                 "--no-first-run",
                                 "--no-pdf-header-footer",
                                 "--window-size=1000,1400",
                                 "--virtual-time-budget=60000",
                                 "--user-data-dir=" + folder.file("profile"),
                                 "--print-to-pdf=" + folder.file("page.pdf"),
                                 "file://" + folder.file("page.html") + "#single-page"};
  if (::geteuid() == 0)
    words.insert(words.begin() + 1, "--no-sandbox");  // Chromium refuses to run as root with it
  wait_for(start(std::move(words)), browser);
  if (!fs::exists(folder.file("page.pdf")))
    throw InputError("--pdf: " + browser + " printed no page" + kNoBrowser);
  const auto file = MappedFile::open(folder.file("page.pdf"));
  const auto bytes = file->bytes();
  std::string pdf(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!pdf.starts_with("%PDF-")) throw InputError("--pdf: " + browser + " printed no PDF" + kNoBrowser);
  set_dates(pdf, date);
  return pdf;
}

}  // namespace plumb::cli
