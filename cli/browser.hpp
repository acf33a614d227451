// --pdf FILE: the report as a PDF of one page, printed by a Chromium that is installed.
#pragma once

#include <string>
#include <string_view>

namespace plumb::cli {

/// The browser's program: $PLUMB_CHROMIUM, or the first of the usual names on the PATH.
/// InputError with the remedy when there is none.
[[nodiscard]] std::string find_browser();

/// The page as a PDF of one page. A browser that fails or takes more than two minutes is ended, and an
/// InputError says so. `date` is that of the document ("2026-11-18"): the bytes do not depend on the time.
[[nodiscard]] std::string print_page(const std::string& browser, std::string_view html,
                                     const std::string& date);

}  // namespace plumb::cli
