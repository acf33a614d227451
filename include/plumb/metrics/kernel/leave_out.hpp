// What is left out of the kernel estimate at a vote.
#pragma once

namespace plumb {

enum class LeaveOut { vote, item };  ///< that vote, or all votes of its item

}  // namespace plumb
