// Standard output and standard error, and what the terminal can do.
//
// Namespace plumb::cli is that of the command line, in this room and in those of the programs.
#pragma once

#include <string>
#include <string_view>

namespace plumb::cli {

enum class Text { words, data };
/// Writes everything, options spelled as flags. Names and values that came from files lose escape sequences,
/// except in data for another program: JSON. A closed pipe is not an error; a full disk is an InputError.
void write_stdout(std::string_view text, Text kind = Text::words);
/// False when not everything was written; errno says why.
[[nodiscard]] bool write_all(int fd, std::string_view text);
/// One line "plumb: <text>" on standard error, options spelled as flags, nothing unprintable.
void say(std::string_view text);

[[nodiscard]] bool stdout_colour();  ///< a terminal, and NO_COLOR is not set
/// Columns of the terminal or of $COLUMNS, otherwise `piped`.
[[nodiscard]] int stdout_width(int piped = 100);

/// A line in parts that fit, cut at spaces beyond the first `hang` columns; later parts begin with so many.
[[nodiscard]] std::string broken(std::string line, std::size_t width, std::size_t hang);

}  // namespace plumb::cli
