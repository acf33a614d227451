#include "class_file.hpp"

#include <filesystem>
#include <fstream>

#include "plumb/data/check.hpp"
#include "plumb/data/utf8.hpp"

namespace plumb::cli {

Args names_in_file(const std::string& word) {
  constexpr std::uintmax_t kMostBytes = 1 << 20;
  std::error_code error;
  if (!std::filesystem::is_regular_file(word, error)) return {word};
  if (std::filesystem::file_size(word, error) > kMostBytes || error)
    throw InputError(word + ": --classes takes a text file with one name per line, of 1 MiB at most");
  std::ifstream file(word);
  Args out;
  for (std::string line; std::getline(file, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (!detail::valid_utf8(line))
      throw InputError(word + ": line " + std::to_string(out.size() + 1) +
                       " is not UTF-8 text; --classes takes a text file with one name per line");
    out.push_back(line);
  }
  while (!out.empty() && out.back().empty()) out.pop_back();
  for (std::size_t i = 0; i < out.size(); ++i)
    if (out[i].empty())
      throw InputError(word + ": line " + std::to_string(i + 1) +
                       " is empty; --classes takes one name per line");
  if (out.empty()) throw InputError(word + " is empty; --classes takes one name per line");
  return out;
}

}  // namespace plumb::cli
