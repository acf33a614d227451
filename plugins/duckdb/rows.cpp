#include "rows.hpp"

#include <algorithm>
#include <charconv>

namespace plumb::duckdb {
namespace {

constexpr const char* kNull =
    " is NULL in some row; leave such rows out with FILTER (WHERE ... IS NOT NULL), so that it is seen";

void refuse_null(duckdb_vector vector, std::size_t rows, const char* what) {
  std::uint64_t* validity = duckdb_vector_get_validity(vector);
  if (validity == nullptr) return;
  for (idx_t i = 0; i < rows; ++i)
    if (!duckdb_validity_row_is_valid(validity, i)) throw InputError(what + std::string(kNull));
}

/// The lists of all rows, which have the same length.
template <class T>
std::size_t read_lists(duckdb_vector vector, std::size_t rows, const char* what, std::vector<T>& out) {
  refuse_null(vector, rows, what);
  const auto* entries = values_of<duckdb_list_entry>(vector);
  duckdb_vector child = duckdb_list_vector_get_child(vector);
  const T* values = values_of<T>(child);
  const std::size_t width = rows == 0 ? 0 : entries[0].length;
  for (std::size_t i = 0; i < rows; ++i) {
    if (entries[i].length != width || width < 2)
      throw InputError(std::string(what) +
                       ": lists need one number for each of two or more classes, and one has " +
                       counted(static_cast<std::int64_t>(entries[i].length), "number") +
                       (width < 2 ? "" : ", another " + std::to_string(width)));
    for (idx_t j = entries[i].offset; j < entries[i].offset + width; ++j) {
      if (is_null(child, j)) throw InputError(std::string(what) + ": a list has a NULL in it");
      out.push_back(values[j]);
    }
  }
  return width;
}

double number_of(std::string_view name, std::string_view text) {
  double x = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error != std::errc() || end != text.data() + text.size())
    throw InputError("the option " + std::string(name) + " needs a number, not \"" + std::string(text) +
                     "\"");
  return x;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

void read_setting(std::string_view name, std::string_view value, Settings& s) {
  if (name == "logits" && value.empty()) {
    s.logits = true;
  } else if (name == "normalize" && value.empty()) {
    s.normalize = true;
  } else if (name == "bins") {
    const double bins = number_of(name, value);
    if (!(bins >= 1 && bins <= 1e6) || bins != static_cast<int>(bins))
      throw InputError("the option bins needs a whole number from 1 to 1,000,000, not " + std::string(value));
    s.options.bins = static_cast<int>(bins);
  } else if (name == "clip") {
    s.options.clip = number_of(name, value);
    if (!(s.options.clip >= 0 && s.options.clip < 0.5))
      throw InputError("the option clip needs a number from 0 to below 0.5, not " + std::string(value));
  } else if (name == "bandwidth") {
    s.options.bandwidth = number_of(name, value);
    if (!(s.options.bandwidth >= 1e-5 && s.options.bandwidth <= 1))
      throw InputError("the option bandwidth needs a number from 1e-5 to 1, not " + std::string(value));
  } else if (name == "ties") {
    if (value == "half") {
      s.options.ties = Ties::half;
    } else if (value == "absent") {
      s.options.ties = Ties::absent;
    } else if (value == "lowest") {
      s.options.ties = Ties::lowest;
    } else {
      throw InputError("the option ties is half, absent or lowest, not \"" + std::string(value) + "\"");
    }
  } else {
    static const std::vector<std::string> known{"bins", "clip", "bandwidth", "ties", "logits", "normalize"};
    throw InputError("there is no option \"" + std::string(name) + "\"" + did_you_mean(name, known) +
                     "; the options are " + separated(known));
  }
}

}  // namespace

const std::vector<Signature>& signatures() {
  static const std::vector<Signature> all = [] {
    std::vector<Signature> out;
    for (const bool several : {false, true})
      for (const auto observed :
           {Signature::Observed::label, Signature::Observed::flag, Signature::Observed::counts})
        for (const bool weight : {false, true})
          for (const bool options : {false, true})
            if (!several || observed != Signature::Observed::flag)
              out.push_back({several, observed, weight, options});
    return out;
  }();
  return all;
}

void Rows::clear() {
  p.clear();
  weight.clear();
  y.clear();
  width = votes = 0;
}

void Rows::append(const Rows& from, std::size_t begin, std::size_t end) {
  if (width == 0) {
    width = from.width;
    votes = from.votes;
  } else if (width != from.width || votes != from.votes) {
    throw InputError("one row has " + counted(static_cast<std::int64_t>(std::max(width, votes)), "class") +
                     " and another " + std::to_string(std::max(from.width, from.votes)));
  }
  const auto add = [&](auto& to, const auto& values, std::size_t each) {
    to.insert(to.end(), values.begin() + static_cast<std::ptrdiff_t>(begin * each),
              values.begin() + static_cast<std::ptrdiff_t>(end * each));
  };
  add(p, from.p, width);
  add(y, from.y, votes);
  if (!from.weight.empty()) add(weight, from.weight, 1);
}

void read_rows(duckdb_data_chunk chunk, const Signature& s, Rows& out, std::string& options) {
  out.clear();
  const std::size_t rows = duckdb_data_chunk_get_size(chunk);
  idx_t column = 0;
  const auto next = [&] { return duckdb_data_chunk_get_vector(chunk, column++); };
  duckdb_vector prediction = next(), observation = next();
  if (s.several) {
    out.width = read_lists(prediction, rows, "the prediction", out.p);
  } else {
    refuse_null(prediction, rows, "the prediction");
    const double* p = values_of<double>(prediction);
    out.p.assign(p, p + rows);
    out.width = 1;
  }
  if (s.observed == Signature::Observed::counts) {
    out.votes = read_lists(observation, rows, "the counts", out.y);
  } else {
    refuse_null(observation, rows, "the label");
    out.votes = 1;
    if (s.observed == Signature::Observed::flag) {
      const bool* y = values_of<bool>(observation);
      out.y.assign(y, y + rows);
    } else {
      const std::int64_t* y = values_of<std::int64_t>(observation);
      out.y.assign(y, y + rows);
    }
  }
  if (s.weight) {
    duckdb_vector weight = next();
    refuse_null(weight, rows, "the weight");
    const double* w = values_of<double>(weight);
    out.weight.assign(w, w + rows);
  }
  options.clear();
  if (!s.options || rows == 0) return;
  duckdb_vector text = next();
  refuse_null(text, rows, "the text of options");
  options = text_at(text, 0);
  for (idx_t i = 1; i < rows; ++i)
    if (text_at(text, i) != options)
      throw InputError("the options are \"" + options + "\" in one row and \"" +
                       std::string(text_at(text, i)) + "\" in another; they must be the same in all rows");
}

Settings read_settings(std::string_view text) {
  Settings out;
  out.options.threads = 1;  // DuckDB has threads of its own
  while (!trimmed(text).empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view one = trimmed(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
    const std::size_t equals = one.find('=');
    const bool flag = equals == std::string_view::npos;
    read_setting(trimmed(one.substr(0, flag ? one.size() : equals)),
                 flag ? std::string_view() : trimmed(one.substr(equals + 1)), out);
  }
  return out;
}

Items items_of(const Rows& rows, const Settings& settings) {
  const auto shaped = [](const auto& values, std::size_t width) {
    return width == 1 ? Data(std::span(values)) : Data(std::span(values), width);
  };
  ItemColumns columns;
  (settings.logits ? columns.logits : columns.probs) = shaped(rows.p, rows.width);
  (rows.votes == 1 ? columns.labels : columns.counts) = shaped(rows.y, rows.votes);
  if (!rows.weight.empty()) columns.weights = Data(std::span(rows.weight));
  columns.normalize = settings.normalize;
  return make_items(columns);
}

}  // namespace plumb::duckdb
