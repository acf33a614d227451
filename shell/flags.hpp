// A command's flags. CLI11 does the parsing inside one translation unit; every error is one sentence.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace plumb::cli {

using Args = std::vector<std::string>;

class Flags {
 public:
  Flags(const std::string& command, const std::string& line);
  ~Flags();
  Flags(const Flags&) = delete;
  Flags& operator=(const Flags&) = delete;

  /// The flags added from here on stand under this heading in the help.
  void heading(std::string name);
  /// Text below the flags in the help.
  void examples(const std::string& text);

  // The value that `out` holds is the default; numbers and names show it in the help.
  // "NAME" is what the help calls the value.
  void files(const std::string& flag, const std::string& name, Args& out, const std::string& what);
  void text(const std::string& flag, const std::string& name, std::string& out, const std::string& what);
  void list(const std::string& flag, const std::string& name, Args& out, const std::string& what);  ///< a,b,c
  void repeated(const std::string& flag, const std::string& name, Args& out, const std::string& what);
  void integer(const std::string& flag, std::int64_t& out, const std::string& what);
  void seed(const std::string& flag, std::uint64_t& out, const std::string& what);
  void number(const std::string& flag, double& out, const std::string& what);
  /// A positive number, or one of `names` (the first is the default); the number is then 0.
  void number_or_name(const std::string& flag, const Args& names, double& out, std::string& name,
                      const std::string& what);
  void choice(const std::string& flag, const Args& allowed, std::string& out, const std::string& what);
  void toggle(const std::string& flag, bool& out, const std::string& what);
  void positional(const std::string& name, Args& out, const std::string& what);
  /// At most one of these may be given; InputError names the two that were.
  void exclusive(std::vector<std::string> flags);
  /// A flag that is known but not available: giving it is an InputError with this sentence.
  void unavailable(const std::string& flag, const std::string& sentence);

  [[nodiscard]] bool given(const std::string& flag) const;
  [[nodiscard]] Args given() const;  ///< all that were, in the order of the help
  /// False when help was asked for: it has been printed. Throws InputError.
  [[nodiscard]] bool parse(const Args& args);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

/// The value of a flag, which must be between these bounds.
int between(const std::string& flag, std::int64_t value, std::int64_t low, std::int64_t high);

}  // namespace plumb::cli
