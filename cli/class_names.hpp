// The order of the classes: what the header of a table of probabilities says, and whether it agrees with what
// else names them.
#pragma once

#include <string>

#include "plumb/data/array.hpp"
#include "shell/flags.hpp"

namespace plumb::cli {

/// The classes that the columns of a table are named after, without what all names begin or end with
/// ("p_cat", "p_dog": cat, dog). None where there is no header, or where it only counts ("p0", "p1");
/// InputError when it counts in another order.
[[nodiscard]] Args header_classes(const Rows& rows);

/// The classes of labels that are text where nothing else names them: sorted by their bytes, as np.unique
/// does. InputError when there are not as many as the predictions have.
[[nodiscard]] Args sorted_classes(const Rows& labels, int classes);
/// Which label became which class.
[[nodiscard]] std::string sorted_note(const std::string& labels, const Args& classes);

/// The lines of a text file, one name each; `word` itself where no such file is (a single name never names
/// all classes). InputError for a file that is no list of names.
[[nodiscard]] Args names_in_file(const std::string& word);

/// InputError when a class has another place in `names` than in `classes`; `source` is the file that gives
/// `names`, `other` what gives `classes`.
void check_class_order(const std::string& source, const Args& names, const std::string& other,
                       const Args& classes);

}  // namespace plumb::cli
