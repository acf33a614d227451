#include "next_command.hpp"

#include "shell/console.hpp"

namespace plumb::cli {

std::string shell_word(const std::string& word) {
  const bool plain =
      word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-") ==
          std::string::npos &&
      !word.empty();
  if (plain) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

namespace {
/// "-1,1" is a value.
bool looks_like_flag(const std::string& word) {
  return word.size() > 1 && word[0] == '-' && (word[1] == '-' || (word[1] >= 'a' && word[1] <= 'z'));
}
}  // namespace

Args argument_parts(const Args& args, const std::function<bool(const std::string& flag)>& keep) {
  Args out;
  bool kept = false;
  for (const std::string& word : args) {
    if (looks_like_flag(word)) {
      kept = keep(word.substr(0, word.find('=')));
      if (kept) out.push_back(shell_word(word));
    } else if (kept) {
      out.back() += " " + shell_word(word);
    }
  }
  return out;
}

std::string next_command(const std::string& why, const Args& parts) {
  std::string out = "\nNext\n" + broken("  " + why, stdout_width(), 2) + "\n", line = "   ";
  for (const std::string& part : parts) {
    if (std::ssize(line) + std::ssize(part) + 3 > stdout_width() &&
        line.size() > 3) {  // room for the backslash
      out += line + " \\\n";
      line = "     ";
    }
    line += " " + part;
  }
  return out + line + "\n";
}

}  // namespace plumb::cli
