// Numbers in sentences. A rounded bound still bounds: upper ones are rounded up, lower ones down. A number
// described as above or below another keeps the digits that show it.
#pragma once

#include <string>

namespace plumb::detail {

enum class Round { near, up, down };

/// "0.082", "0.4", "0.00012": three decimals, or two significant digits where that is finer.
[[nodiscard]] std::string error_text(double x, Round round = Round::near);
/// With more decimals where the text would not be on the same side of `limit` as x is.
[[nodiscard]] std::string error_text_beside(double x, double limit, Round round = Round::near);
/// x with this many decimals, without trailing zeros unless `fixed`.
[[nodiscard]] std::string decimals_text(double x, int decimals, Round round, bool fixed = false);
/// Three significant digits: "1.05", "12.3".
[[nodiscard]] std::string factor_text(double x, Round round = Round::near);
[[nodiscard]] std::string factor_text_beside(double x, double limit, Round round = Round::near);

}  // namespace plumb::detail
