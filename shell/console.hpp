// Standard output and standard error, and what the terminal can do.
//
// Namespace plumb::cli is that of the command line, in this room and in those of the programs.
#pragma once

#include <string_view>

namespace plumb::cli {

enum class Text { words, data };
/// Writes everything, options spelled as flags. Names and values that came from files lose what a terminal
/// would obey (escape sequences), except in data for another program: JSON. A reader that has gone away is no
/// error; a full disk is an InputError.
void write_stdout(std::string_view text, Text kind = Text::words);
/// False when the descriptor took not all of it; errno says why.
[[nodiscard]] bool write_all(int fd, std::string_view text);
/// One line "plumb: <text>" on standard error, options spelled as flags, nothing unprintable.
void say(std::string_view text);

[[nodiscard]] bool stdout_colour();  ///< a terminal, and NO_COLOR is not set
[[nodiscard]] int stdout_width();    ///< columns of the terminal or of $COLUMNS, else 100
[[nodiscard]] bool stdout_terminal();

}  // namespace plumb::cli
