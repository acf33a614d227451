#include "shell/program.hpp"

#include <exception>
#include <new>

#include "plumb/data/check.hpp"
#include "shell/console.hpp"

namespace plumb::cli {

int run_program(const std::function<int()>& program, const std::string& out_of_memory) {
  constexpr const char* kReport = "; please report this with the command that you ran";
  try {
    return program();
  } catch (const InputError& e) {
    say(e.sentence());
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

}  // namespace plumb::cli
