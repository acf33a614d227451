#include "plumb/calibrate/model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "plumb/data/check.hpp"
#include "plumb/result.hpp"
#include "result/shared/json_limits.hpp"

namespace plumb {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kKind = "plumb calibrator";
constexpr int kFormat = 1;
constexpr std::int64_t kMostClasses = 10'000'000;
// The checksum stands last and covers every byte before its line.
constexpr std::string_view kChecksumKey = ",\n \"checksum\": \"";

std::string checksum(std::string_view bytes) {
  std::uint64_t h = 0xcbf29ce484222325;  // FNV-1a: against accidents, not against malice
  for (const char c : bytes) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(h));
  return text;
}

Json number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

Json json_of(const Value& v) {
  return std::visit(
      [](const auto& x) -> Json {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, std::monostate>)
          return nullptr;
        else if constexpr (std::is_same_v<T, double>)
          return number(x);
        else
          return x;
      },
      v);
}

Json json_of(const Step& step) {
  Json parameters = Json::object();
  for (const Parameter& p : step.parameters) {
    for (const double v : p.values)
      if (!std::isfinite(v))
        throw std::logic_error("parameter " + p.name + " of the " + step.method + " step is not finite");
    parameters[p.name] = {{"shape", p.shape}, {"values", p.values}};
  }
  const FitReport& f = step.fit;
  Json options = Json::object();
  for (const auto& [name, value] : f.options) options[name] = json_of(value);
  return {{"method", step.method},
          {"parameters", parameters},
          {"fit",
           {{"objective", number(f.objective)},
            {"gradient_norm", number(f.gradient_norm)},
            {"iterations", f.iterations},
            {"converged", f.converged},
            {"items", f.items},
            {"votes", f.votes},
            {"options", options},
            {"warnings", f.warnings}}}};
}

// Reads required fields from an untrusted file.
class Reader {
 public:
  Reader(const std::string& name, const Json& json) : name_(name), json_(json) {}
  [[nodiscard]] const Json& at(const char* key) const {
    if (!json_.is_object() || !json_.contains(key)) fail(std::string("it has no \"") + key + "\"");
    return json_[key];
  }
  [[nodiscard]] std::string text(const char* key) const {
    return as<std::string>(key, &Json::is_string, "text");
  }
  [[nodiscard]] std::int64_t integer(const char* key) const {
    return as<std::int64_t>(key, &Json::is_number_integer, "whole number");
  }
  [[nodiscard]] double real(const char* key) const {
    return at(key).is_null() ? std::nan("") : as<double>(key, &Json::is_number, "number");
  }
  [[nodiscard]] bool boolean(const char* key) const {
    if (!at(key).is_boolean()) fail(quoted_key(key) + " is neither true nor false");
    return at(key).get<bool>();
  }
  [[nodiscard]] std::vector<std::string> texts(const char* key) const {
    return all<std::string>(key, &Json::is_string, "text");
  }
  [[nodiscard]] std::vector<double> reals(const char* key) const {
    return all<double>(key, &Json::is_number, "number");
  }
  [[nodiscard]] const Json& list(const char* key) const { return checked(key, &Json::is_array, "list"); }
  [[nodiscard]] const Json& object(const char* key) const { return checked(key, &Json::is_object, "object"); }
  [[nodiscard]] Reader inside(const Json& json) const { return {name_, json}; }
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(name_ + " is not a usable calibrator: " + what +
                     "; fit it again with plumb calibrate fit");
  }

 private:
  using Is = bool (Json::*)() const noexcept;
  static std::string quoted_key(const char* key) { return std::string("its \"") + key + "\""; }
  [[nodiscard]] const Json& checked(const char* key, Is is, const std::string& what) const {
    if (!(at(key).*is)()) fail(quoted_key(key) + " is no " + what);
    return at(key);
  }
  template <class T>
  [[nodiscard]] T as(const char* key, Is is, const std::string& what) const {
    return checked(key, is, what).get<T>();
  }
  template <class T>
  [[nodiscard]] std::vector<T> all(const char* key, Is is, const std::string& what) const {
    std::vector<T> out;
    for (const Json& x : list(key)) {
      if (!(x.*is)()) fail(quoted_key(key) + " holds something that is not a " + what);
      out.push_back(x.get<T>());
    }
    return out;
  }
  const std::string& name_;
  const Json& json_;
};

Value value_of(const Json& v) {
  if (v.is_boolean()) return v.get<bool>();
  if (v.is_number_unsigned() && v.get<std::uint64_t>() > std::uint64_t{INT64_MAX})
    return v.get<std::uint64_t>();
  if (v.is_number_integer()) return v.get<std::int64_t>();
  if (v.is_number()) return v.get<double>();
  if (v.is_string()) return v.get<std::string>();
  if (v.is_array() && std::all_of(v.begin(), v.end(), [](const Json& x) { return x.is_number(); }))
    return v.get<std::vector<double>>();
  if (v.is_array() && std::all_of(v.begin(), v.end(), [](const Json& x) { return x.is_string(); }))
    return v.get<std::vector<std::string>>();
  return {};
}

Parameter read_parameter(const Reader& r, const std::string& name) {
  Parameter p{name, {}, r.reals("values")};
  double size = 1;
  for (const Json& extent : r.list("shape")) {
    if (!extent.is_number_integer() || extent.get<std::int64_t>() < 0)
      r.fail("the shape of " + name + " is invalid");
    p.shape.push_back(extent.get<std::int64_t>());
    size *= p.shape.back();
  }
  if (size != p.values.size())
    r.fail(name + " has " + counted(std::ssize(p.values), "value") + ", which its shape does not");
  return p;
}

Step read_step(const Reader& r) {
  Step step{r.text("method")};
  for (const auto& [name, value] : r.object("parameters").items())
    step.parameters.push_back(read_parameter(r.inside(value), name));
  const Reader fit = r.inside(r.object("fit"));
  step.fit.objective = fit.real("objective");
  step.fit.gradient_norm = fit.real("gradient_norm");
  step.fit.iterations = fit.integer("iterations");
  step.fit.converged = fit.boolean("converged");
  step.fit.items = fit.integer("items");
  step.fit.votes = fit.integer("votes");
  for (const auto& [name, value] : fit.object("options").items())
    step.fit.options.emplace_back(name, value_of(value));
  step.fit.warnings = fit.texts("warnings");
  return step;
}

void check_checksum(std::string_view text, const std::string& name) {
  const std::size_t at = text.rfind(kChecksumKey);
  const std::string what = name + " is damaged or was changed by hand: ";
  if (at == std::string_view::npos)
    throw InputError(what + "its checksum is missing; fit it again with plumb calibrate fit");
  const std::string expected = checksum(text.substr(0, at));
  if (text.substr(at + kChecksumKey.size()) != expected + "\"\n}\n")
    throw InputError(what + "its checksum does not match; fit it again with plumb calibrate fit");
}

}  // namespace

std::string model_text(const CalibrationModel& model) {
  Json steps = Json::array();
  for (const Step& s : model.steps) steps.push_back(json_of(s));
  const Json json = {{"kind", kKind},
                     {"format", kFormat},
                     {"plumb", model.version},
                     {"task", model.task},
                     {"classes", model.classes},
                     {"class_names", model.class_names},
                     {"input", model.input},
                     {"fitted_on", model.fitted_on},
                     {"steps", steps}};
  std::string text = "{";
  for (const auto& [key, value] : json.items()) {
    text += (text.size() > 1 ? ",\n " : "\n ") + Json(key).dump() + ": ";
    if (key != "steps") {
      text += value.dump();
      continue;
    }
    for (std::size_t i = 0; i < value.size(); ++i) text += (i == 0 ? "[\n  " : ",\n  ") + value[i].dump();
    text += "]";
  }
  return text + std::string(kChecksumKey) + checksum(text) + "\"\n}\n";
}

CalibrationModel parse_model(std::string_view text, const std::string& name) {
  // Objects keep their order and are searched from the front, so that many keys would cost their square.
  constexpr std::int64_t kMostKeys = 10'000;
  detail::check_json_limits(text, name, kMostKeys);
  const Json json = Json::parse(text.begin(), text.end(), nullptr, false);
  if (json.is_discarded())
    throw InputError(
        name + (text.starts_with("{\n \"kind\": \"plumb calibrator\"")
                    ? " is a calibrator that is truncated or damaged; fit it again with plumb calibrate fit"
                    : " is not a calibrator: it is not JSON; use a file written by plumb calibrate fit"));
  if (!json.is_object() || !json.contains("kind") || json["kind"] != kKind)
    throw InputError(name + " is JSON but not a calibrator; use a file written by plumb calibrate fit");
  const Reader r(name, json);
  const std::int64_t format = r.integer("format");
  if (format > kFormat)
    throw InputError(name + " has model format " + std::to_string(format) + ", later than the format " +
                     std::to_string(kFormat) + " that this program reads; use a newer plumb");
  if (format < 1) r.fail("its format is " + std::to_string(format));
  check_checksum(text, name);
  CalibrationModel m;
  m.name = name;
  m.version = r.text("plumb");
  m.task = r.text("task");
  if (m.task != "binary" && m.task != "multiclass" && m.task != "regression")
    r.fail("its task is \"" + m.task + "\"");
  m.classes = r.integer("classes");
  const std::int64_t least = m.task == "regression" ? 0 : m.task == "binary" ? 2 : 3;
  if (m.classes < least || m.classes > (m.task == "binary" ? 2 : kMostClasses))
    r.fail("it is " + m.task + " with " + std::to_string(m.classes) + " classes");
  m.class_names = r.texts("class_names");
  if (!m.class_names.empty() && std::ssize(m.class_names) != m.classes)
    r.fail("it names " + std::to_string(m.class_names.size()) + " classes of " + std::to_string(m.classes));
  m.input = r.text("input");
  m.fitted_on = r.texts("fitted_on");
  for (const Json& step : r.list("steps")) m.steps.push_back(read_step(r.inside(step)));
  if (m.steps.empty()) r.fail("it has no steps");
  return m;
}

}  // namespace plumb
