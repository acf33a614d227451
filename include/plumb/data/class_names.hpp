// The order of the classes: what the header of a table of probabilities says, and whether it agrees with
// other sources of the names.
#pragma once

#include <string>
#include <vector>

#include "plumb/data/array.hpp"

namespace plumb {

using ClassNames = std::vector<std::string>;

/// The classes that the columns of a table are named after, without their common prefix and suffix ("p_cat",
/// "p_dog": cat, dog). None where there is no header, or where it only counts ("p0", "p1"); InputError when
/// it counts in another order.
[[nodiscard]] ClassNames header_classes(const Rows& rows);

/// The classes of labels that are text where nothing else names them: sorted by their bytes, as np.unique
/// does. InputError when there are not as many as the predictions have; `classes` 0: any number.
[[nodiscard]] ClassNames sorted_classes(const Rows& labels, int classes);
/// A note that says which label became which class.
[[nodiscard]] std::string sorted_note(const std::string& labels, const ClassNames& classes);

/// The number of classes of labels or ratings that are numbers: the largest plus one, and at least 2.
[[nodiscard]] int count_classes(const Rows& labels);

/// InputError when a class has another place in `names` than in `classes`; `source` is the file that gives
/// `names`, `other` what gives `classes`.
void check_class_order(const std::string& source, const ClassNames& names, const std::string& other,
                       const ClassNames& classes);

}  // namespace plumb
