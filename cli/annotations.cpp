#include "annotations.hpp"

#include "plumb/data/check.hpp"
#include "plumb/report/results.hpp"

namespace plumb::cli {
namespace {

const Args kColumns{"item", "rater", "label"};

/// "a,b,c" as three names; one that has a comma stands in quotes, as in the file.
Args split_selection(const std::string& selection) {
  Args out(1);
  bool quoted = false;
  for (const char c : selection) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

struct Columns {
  std::string item, rater, label;  // rater empty: unknown
};

Columns columns_of(const Source& source) {
  const Args names = source.selection.empty() ? kColumns : split_selection(source.selection);
  if (names.size() == 3) return {names[0], names[1], names[2]};
  if (names.size() == 2) return {names[0], "", names[1]};
  throw InputError("--annotations takes the columns of item, rater and label, as in " + source.path +
                   ":item,rater,label, not \"" + source.selection + "\"");
}

Array column(const Source& source, const std::string& name, LoadOptions options) {
  try {
    Array a = load_one({source.path, name}, options);
    if (a.shape.size() != 1)
      throw InputError(a.name + " is " + show_shape(a.shape) +
                       "; --annotations takes one column for each of item, rater and label");
    return a;
  } catch (const InputError& e) {
    const bool absent = e.sentence().find(" has no ") != std::string::npos;
    if (!source.selection.empty() || !absent) throw;
    throw InputError(e.sentence() + "; say which columns are item, rater and label, as in " + source.path +
                     ":item,rater,label");
  }
}

/// Shards that hold numbers are read again as text where others are text.
Rows one_kind(std::vector<Array> shards, const std::vector<Source>& sources, const Args& names,
              LoadOptions options) {
  bool text = false;
  for (const Array& a : shards) text = text || a.dtype == DType::text;
  options.want = Want::text;
  for (std::size_t i = 0; text && i < shards.size(); ++i)
    if (shards[i].dtype != DType::text) shards[i] = column(sources[i], names[i], options);
  return Rows(std::move(shards));
}

}  // namespace

Annotations load_annotations(const Args& specs, int threads, InputRecord& record) {
  const LoadOptions names{Want::names, false, threads}, labels{Want::either, true, threads};
  const std::vector<Source> sources = resolve(specs);
  std::vector<Array> item, rater, label;
  Args item_names, rater_names, label_names;
  for (const Source& source : sources) {
    const Columns c = columns_of(source);
    item.push_back(column(source, c.item, names));
    if (!c.rater.empty()) rater.push_back(column(source, c.rater, names));
    label.push_back(column(source, c.label, labels));
    item_names.push_back(c.item);
    rater_names.push_back(c.rater);
    label_names.push_back(c.label);
    const std::int64_t width = c.rater.empty() ? 2 : 3;
    record.infos.push_back({"--annotations",
                            source.selection.empty() ? source.path : source.path + ":" + source.selection,
                            {label.back().shape[0], width},
                            dtype_name(label.back().dtype),
                            ""});
    record.paths.push_back(source.path);
  }
  if (!rater.empty() && rater.size() != item.size())
    throw InputError("--annotations: " + sources.front().path +
                     " and the other files must all name a rater, or none");
  Annotations out;
  out.item = Names(one_kind(std::move(item), sources, item_names, names));
  if (!rater.empty()) out.rater = Names(one_kind(std::move(rater), sources, rater_names, names), "judgement");
  out.label = one_kind(std::move(label), sources, label_names, labels);
  return out;
}

Votes joined_votes(const Annotations& annotations, const Names& ids, int classes, const Args& class_names,
                   const std::string& duplicates, int threads, InputRecord& record) {
  const Duplicates rule = duplicates == "keep"     ? Duplicates::keep
                          : duplicates == "refuse" ? Duplicates::refuse
                                                   : Duplicates::last;
  JoinedVotes joined = join_annotations(annotations, ids, classes, class_names, rule, threads);
  const JoinCounts& c = joined.counts;
  for (std::string& note : join_notes(c, rule, record.infos.back().path, ids.source()))
    record.notes.push_back(std::move(note));
  record.sections.emplace_back("annotations", annotations_section(c, rule));
  return std::move(joined.votes);
}

}  // namespace plumb::cli
