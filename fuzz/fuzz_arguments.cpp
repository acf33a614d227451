// Arbitrary arguments, one a line, for every command, in a folder with a few small files: a command
// ends, or refuses with one sentence. Left out are what would leave the folder, run for long, or start
// another program.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "plumb/data/check.hpp"

namespace {

void write(const char* name, const char* text) { std::ofstream(name) << text; }

// The files that seeds name.
void make_files() {
  write("p.csv", "0.9\n0.2\n0.6\n0.4\n0.7\n0.1\n");
  write("y.csv", "1\n0\n1\n0\n0\n0\n");
  write("probs.csv", "a,b,c\n0.7,0.2,0.1\n0.1,0.8,0.1\n0.3,0.3,0.4\n0.2,0.5,0.3\n");
  write("counts.csv", "a,b,c\n3,0,0\n1,2,0\n0,1,2\n0,3,0\n");
  write("items.csv", "id,site,patient\n1,x,p\n2,x,q\n3,y,q\n4,y,r\n");
  write("mean.csv", "1.0\n2.5\n0.3\n4.0\n");
  write("target.csv", "1.1\n2.0\n0.9\n3.5\n");
  write("votes.csv", "item,rater,label\n1,r,a\n1,s,b\n2,r,b\n3,s,c\n4,r,b\n4,s,b\n");
  write("classes.txt", "a\nb\nc\n");
}

void enter_folder() {
  static const bool entered = [] {
    std::string folder = (std::filesystem::temp_directory_path() / "plumb-fuzz-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr || ::chdir(folder.c_str()) != 0) std::abort();
    const int null = ::open("/dev/null", O_RDWR);
    if (null < 0 || ::dup2(null, STDIN_FILENO) < 0 || ::dup2(null, STDOUT_FILENO) < 0) std::abort();
    std::atexit([] {
      std::error_code ignored;
      std::filesystem::remove_all(std::filesystem::current_path(), ignored);
    });
    return true;
  }();
  (void)entered;
}

bool has_long_number(const std::string& text) {
  std::size_t digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    digits = digit ? digits + 1 : 0;
    if (digits > 3) return true;
    if (i > 0 && (text[i] == 'e' || text[i] == 'E') && text[i - 1] >= '0' && text[i - 1] <= '9') return true;
  }
  return false;
}

bool is_left_out(const std::string& argument) {
  for (const char* word : {"/", "..", "plot", "pdf", "report", "figure", "train", "predict", "demo", "view"})
    if (argument.find(word) != std::string::npos) return true;
  return argument.find('\0') != std::string::npos || has_long_number(argument);
}

std::vector<std::string> lines(const unsigned char* data, std::size_t size) {
  std::vector<std::string> all(1);
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] == '\n')
      all.emplace_back();
    else
      all.back() += static_cast<char>(data[i]);
  }
  if (all.back().empty()) all.pop_back();
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  constexpr std::size_t kMostArguments = 24;
  std::vector<std::string> arguments = lines(data, size);
  if (arguments.empty() || arguments.size() > kMostArguments) return 0;
  if (std::any_of(arguments.begin(), arguments.end(), is_left_out)) return 0;
  enter_folder();
  make_files();
  const auto commands = plumb::cli::commands();
  const auto command =
      std::find_if(commands.begin(), commands.end(), [&](const auto& c) { return arguments[0] == c.name; });
  if (command == commands.end() || command->run == nullptr) return 0;
  arguments.erase(arguments.begin());
  try {
    (void)command->run(arguments);
  } catch (const plumb::InputError& e) {  // refused with one sentence, as intended
    const std::string why = e.what();
    if (why.empty() || why.find('\n') != std::string::npos) std::abort();
  } catch (const std::range_error&) {  // values too far apart: a sentence too (shell/program.cpp)
  } catch (const std::bad_alloc&) {    // a flag may ask for more memory than there is
  }
  for (const auto& entry : std::filesystem::directory_iterator("."))
    std::filesystem::remove_all(entry.path());
  return 0;
}
