#include "arguments.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "plumb/data/check.hpp"
#include "plumb/io/arrow_stream.hpp"

namespace plumb::python {
namespace {

using AnyArray = nb::ndarray<nb::ro>;

std::optional<DType> dtype_of(nb::dlpack::dtype t) {
  using Code = nb::dlpack::dtype_code;
  if (t.lanes != 1) return std::nullopt;
  switch (static_cast<Code>(t.code)) {
    case Code::Bool:
      return t.bits == 8 ? std::optional(DType::u8) : std::nullopt;
    case Code::Int:
      switch (t.bits) {
        case 8:
          return DType::i8;
        case 16:
          return DType::i16;
        case 32:
          return DType::i32;
        case 64:
          return DType::i64;
        default:
          return std::nullopt;
      }
    case Code::UInt:
      switch (t.bits) {
        case 8:
          return DType::u8;
        case 16:
          return DType::u16;
        case 32:
          return DType::u32;
        case 64:
          return DType::u64;
        default:
          return std::nullopt;
      }
    case Code::Float:
      switch (t.bits) {
        case 16:
          return DType::f16;
        case 32:
          return DType::f32;
        case 64:
          return DType::f64;
        default:
          return std::nullopt;
      }
    default:
      return std::nullopt;
  }
}

/// Numbers in this machine's memory that the core reads where they lie; nothing for all else.
std::optional<Array> in_place(nb::handle value, AnyArray& given) {
  if (!nb::try_cast(value, given, false) || !given.is_valid()) return std::nullopt;
  const auto dtype = dtype_of(given.dtype());
  if (!dtype || given.device_type() != nb::device::cpu::value || given.ndim() == 0) return std::nullopt;
  Array out;
  out.dtype = *dtype;
  out.data = static_cast<const std::byte*>(given.data());
  const std::int64_t bytes = dtype_size(*dtype);
  if (reinterpret_cast<std::uintptr_t>(out.data) % bytes != 0) return std::nullopt;  // misaligned: copied
  for (std::size_t d = 0; d < given.ndim(); ++d) {
    out.shape.push_back(static_cast<std::int64_t>(given.shape(d)));
    out.strides.push_back(given.stride(d) * bytes);
  }
  return out;
}

/// numpy's arrays with a mask show their memory as if there were none. Nothing has one before numpy.ma
/// is imported.
bool has_mask(nb::handle value) {
  PyObject* const module = PyDict_GetItemString(PyImport_GetModuleDict(), "numpy.ma");  // borrowed
  return module != nullptr && nb::isinstance(value, nb::handle(module).attr("MaskedArray"));
}

/// pyarrow's arrays lend their numbers by DLPack as well, but not their text, their nulls or their chunks.
bool is_of_pyarrow(nb::handle value) {
  if (PyDict_GetItemString(PyImport_GetModuleDict(), "pyarrow") == nullptr) return false;
  return nb::cast<std::string>(nb::str(value.type().attr("__module__"))).starts_with("pyarrow");
}

/// TensorFlow ends the process when a tensor of text is asked for its memory.
bool is_text_of_tensorflow(nb::handle value) {
  if (PyDict_GetItemString(PyImport_GetModuleDict(), "tensorflow") == nullptr) return false;
  return nb::cast<std::string>(nb::str(value.type().attr("__module__"))).starts_with("tensorflow") &&
         nb::hasattr(value, "dtype") &&
         nb::cast<std::string>(nb::str(value.attr("dtype").attr("name"))) == "string";
}

ArrowReadOptions arrow_options(const std::string& name, Holds holds) {
  ArrowReadOptions options;
  options.want = holds == Holds::numbers   ? Want::numbers
                 : holds == Holds::classes ? Want::either
                                           : Want::names;
  options.empty_is_nan = name == "ratings" || (name == "annotations" && holds == Holds::classes);
  return options;
}

template <class T>
T* held_by(nb::handle capsule, const char* name) {
  void* const held = PyCapsule_GetPointer(capsule.ptr(), name);
  if (held == nullptr) nb::raise_python_error();
  return static_cast<T*>(held);
}

/// A table or a column behind the Arrow PyCapsule interface: pyarrow, DuckDB and others; nothing for all
/// else. Data frames that give their numbers as one array do not come this way, unless they are Arrow's own.
std::optional<Array> from_arrow(const std::string& name, nb::handle value, Holds holds) {
  const bool stream = nb::hasattr(value, "__arrow_c_stream__");
  if (!stream && !nb::hasattr(value, "__arrow_c_array__")) return std::nullopt;
  if (nb::hasattr(value, "to_numpy") && !is_of_pyarrow(value)) return std::nullopt;
  const ArrowReadOptions options = arrow_options(name, holds);
  if (stream) {
    const nb::object capsule = value.attr("__arrow_c_stream__")();
    return read_arrow_stream(held_by<ArrowArrayStream>(capsule, "arrow_array_stream"), name, "", options);
  }
  const nb::object both = value.attr("__arrow_c_array__")();
  const nb::object schema = both[0], array = both[1];
  return read_arrow_array(held_by<ArrowSchema>(schema, "arrow_schema"),
                          held_by<ArrowArray>(array, "arrow_array"), name, options);
}

Array text_array(nb::handle strings, std::vector<std::int64_t> shape) {
  return array_of(nb::cast<std::vector<std::string>>(strings), std::move(shape), "");
}

}  // namespace

/// What Python's side makes of other objects: (numbers or a list of texts, shape, swapped, columns,
/// a note or None).
Array Arguments::converted(const std::string& name, nb::handle value) {
  const nb::object prepared = nb::module_::import_("plumb._arrays").attr("prepare")(name, value);
  const nb::object numbers = prepared[0];
  Array out;
  if (nb::isinstance<nb::list>(numbers)) {
    out = text_array(numbers, nb::cast<std::vector<std::int64_t>>(prepared[1]));
  } else {
    AnyArray held;
    std::optional<Array> read = in_place(numbers, held);
    if (!read) throw nb::type_error((name + " is of a type that cannot be read").c_str());
    arrays_.push_back(std::move(held));
    out = *std::move(read);
  }
  out.swapped = nb::cast<bool>(prepared[2]);
  out.columns = nb::cast<std::vector<std::string>>(prepared[3]);
  if (const nb::object note = prepared[4]; !note.is_none()) notes_.push_back(nb::cast<std::string>(note));
  return out;
}

Data Arguments::data(const std::string& name, nb::handle value, Holds holds) {
  if (!value.is_valid() || value.is_none()) return {};
  return array(name, value, holds);
}

Array Arguments::array(const std::string& name, nb::handle value, Holds holds) {
  AnyArray held;
  std::optional<Array> array;
  if (!has_mask(value) && !is_of_pyarrow(value) && !is_text_of_tensorflow(value))
    array = in_place(value, held);
  if (array) {
    arrays_.push_back(std::move(held));
  } else if (array = from_arrow(name, value, holds); !array) {
    array = converted(name, value);
  }
  infos_.push_back({name, name, array->shape, dtype_name(array->dtype), ""});
  elements_ += array->size();
  return *std::move(array);
}

nb::object Arguments::object(const char* name) const {
  return given_.contains(name) ? nb::borrow(given_[name]) : nb::none();
}

Data Arguments::data(const char* name, Holds holds) { return data(std::string(name), object(name), holds); }

std::vector<std::pair<std::string, Data>> Arguments::named(const char* name, Holds holds) {
  std::vector<std::pair<std::string, Data>> out;
  const nb::object columns = object(name);
  if (columns.is_none()) return out;
  for (const auto& [key, value] : nb::cast<nb::dict>(columns)) {
    const auto text = nb::cast<std::string>(nb::str(key));
    out.emplace_back(text, data(text, value, holds));
  }
  return out;
}

std::vector<std::string> Arguments::texts(const char* name) {
  const nb::object list = object(name);
  return list.is_none() ? std::vector<std::string>{} : nb::cast<std::vector<std::string>>(list);
}

ItemColumns item_columns(Arguments& a) {
  ItemColumns c;
  c.probs = a.data("probs");
  c.logits = a.data("logits");
  c.samples = a.data("samples");
  c.sample_logits = a.data("sample_logits");
  const nb::object normalize = a.object("normalize");
  c.normalize = !normalize.is_none() && nb::cast<bool>(normalize);
  c.labels = a.data("labels", Holds::classes);
  c.counts = a.data("counts");
  c.ratings = a.data("ratings", Holds::classes);
  if (const nb::object judgements = a.object("annotations"); !judgements.is_none()) {
    c.annotations.item = a.data("annotations", judgements["item"], Holds::names);
    c.annotations.rater = a.data("annotations", judgements["rater"], Holds::names);
    c.annotations.label = a.data("annotations", judgements["label"], Holds::classes);
  }
  if (const nb::object rule = a.object("duplicates"); !rule.is_none()) {
    bool known = false;
    const auto text = nb::cast<std::string>(nb::str(rule));
    for (const Duplicates d : {Duplicates::last, Duplicates::keep, Duplicates::refuse}) {
      if (text != duplicates_name(d)) continue;
      c.duplicates = d;
      known = true;
    }
    if (!known) throw InputError("⟦duplicates⟧ takes last, keep or refuse, not \"" + text + "\"");
  }
  c.ids = a.data("ids", Holds::names);
  c.weights = a.data("weights");
  c.truth = a.data("truth");
  c.concentration = a.data("concentration");
  c.groups = a.data("groups", Holds::names);
  c.slices = a.named("by", Holds::names);
  c.classes = a.texts("classes");
  return c;
}

RegressionColumns regression_columns(Arguments& a) {
  RegressionColumns c;
  c.mean = a.data("mean");
  c.mean_samples = a.data("mean_samples");
  c.variance = a.data("variance");
  c.std = a.data("std");
  c.aleatoric = a.data("aleatoric");
  c.epistemic = a.data("epistemic");
  c.variance_samples = a.data("variance_samples");
  c.targets = a.data("targets");
  c.errors = a.data("errors");
  c.weights = a.data("weights");
  c.groups = a.data("groups", Holds::names);
  c.slices = a.named("by", Holds::names);
  return c;
}

}  // namespace plumb::python
