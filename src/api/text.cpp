#include "plumb/api/text.hpp"

#include "plumb/data/option_name.hpp"
#include "plumb/report/json.hpp"
#include "plumb/report/regression.hpp"
#include "plumb/report/terminal.hpp"

namespace plumb {

std::string to_json(const Result& result) { return render_json(result); }

std::string to_text(const Result& result) {
  return spell(result.task == "regression" ? render_regression(result, {}) : render_terminal(result, {}),
               kMember);
}

}  // namespace plumb
