// What a kernel estimate at a vote leaves out of its own evidence.
#pragma once

namespace plumb {

enum class LeaveOut { vote, item };  ///< that vote, or all votes of its item

}  // namespace plumb
