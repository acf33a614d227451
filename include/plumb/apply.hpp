// Runs a calibrator that `plumb calibrate fit` saved in any program: one file, C++20, no library but the
// standard one. One row at a time, without allocation up to 64 classes, under a microsecond for ten; several
// threads may share a Calibrator.
//
//   const auto calibrate = plumb::apply::Calibrator::load("model.json");
//   calibrate(logits, plumb::apply::Input::logits, probabilities);   // K numbers in, K out
//
// Its results agree with the library's to 1e-12, because it uses exp and log of the C library. The file is in
// four parts: JSON, numbers, maps, Calibrator; it is long because it is one file to copy.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::apply {

/// What is wrong with a file or a row, in one sentence.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class Input { probabilities, logits };

namespace detail {

// --- JSON: as much of it as a model file needs
// ---------------------------------------------------------------

struct Json {
  enum class Kind { null, boolean, number, text, list, object } kind = Kind::null;
  double number = 0;
  std::string text;
  std::vector<Json> list;          // of an object: the values
  std::vector<std::string> names;  // of an object

  [[nodiscard]] const Json* find(std::string_view name) const {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == name) return &list[i];
    return nullptr;
  }
  [[nodiscard]] const Json& at(std::string_view name) const {
    if (const Json* found = find(name)) return *found;
    throw Error("the model file has no \"" + std::string(name) + "\"");
  }
};

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}
  [[nodiscard]] Json read() {
    Json out = value(0);
    skip();
    if (at_ != text_.size()) fail();
    return out;
  }

 private:
  static constexpr int kDeepest = 32;

  [[noreturn]] static void fail() { throw Error("the model file is not JSON or is truncated"); }
  void skip() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }
  [[nodiscard]] char peek() {
    skip();
    if (at_ == text_.size()) fail();
    return text_[at_];
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void word(std::string_view w) {
    if (text_.substr(at_, w.size()) != w) fail();
    at_ += w.size();
  }
  Json value(int depth) {
    if (depth > kDeepest) fail();
    Json out;
    switch (peek()) {
      case '{':
      case '[':
        members(out, depth);
        break;
      case '"':
        out.kind = Json::Kind::text;
        out.text = string();
        break;
      case 't':
      case 'f':
        out.kind = Json::Kind::boolean;
        out.number = text_[at_] == 't' ? 1 : 0;
        word(text_[at_] == 't' ? "true" : "false");
        break;
      case 'n':
        word("null");
        break;
      default: {
        out.kind = Json::Kind::number;
        const auto [end, error] =
            std::from_chars(text_.data() + at_, text_.data() + text_.size(), out.number);
        if (error != std::errc{} || !std::isfinite(out.number)) fail();
        at_ = static_cast<std::size_t>(end - text_.data());
      }
    }
    return out;
  }
  void members(Json& out, int depth) {
    const bool object = text_[at_++] == '{';
    const char end = object ? '}' : ']';
    out.kind = object ? Json::Kind::object : Json::Kind::list;
    if (take(end)) return;
    do {
      if (object) {
        if (peek() != '"') fail();
        out.names.push_back(string());
        if (!take(':')) fail();
      }
      out.list.push_back(value(depth + 1));
    } while (take(','));
    if (!take(end)) fail();
  }
  std::string string() {
    std::string out;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] != '\\') {
        out += text_[at_];
        continue;
      }
      if (++at_ == text_.size()) fail();
      if (text_[at_] == 'u')
        at_ += 4;  // names of classes and warnings alone could hold one; nothing here reads them
      out += text_[at_ < text_.size() ? at_ : text_.size() - 1];
    }
    if (at_ >= text_.size()) fail();
    ++at_;
    return out;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// --- numbers
// --------------------------------------------------------------------------------------------------

inline constexpr double kClip = 1e-12;

inline double logistic(double x) {
  const double e = std::exp(-std::fabs(x));
  return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}

inline void softmax(std::span<double> x) {
  const double top = *std::max_element(x.begin(), x.end());
  double sum = 0;
  for (double& v : x) sum += v = std::exp(v - top);
  for (double& v : x) v /= sum;
}

/// Log-odds when there is one number, otherwise one logit for each class.
inline void to_logits(std::span<double> x) {
  if (x.size() == 1) {
    const double p = std::clamp(x[0], kClip, 1 - kClip);
    x[0] = std::log(p) - std::log(1 - p);
    return;
  }
  for (double& v : x) v = std::log(std::max(v, kClip));
}
inline void to_probabilities(std::span<double> x) {
  if (x.size() == 1) {
    x[0] = logistic(x[0]);
  } else {
    softmax(x);
  }
}

/// log softmax(x / t), clipped.
inline void to_log_probabilities(std::span<double> x, double t) {
  double top = -1e300;
  for (double& v : x) top = std::max(top, v /= t);
  double sum = 0;
  for (const double v : x) sum += std::exp(v - top);
  const double total = top + std::log(sum), floor = std::log(kClip);
  for (double& v : x) v = std::max(v - total, floor);
}

/// K numbers without the heap for small K.
class Scratch {
 public:
  explicit Scratch(std::size_t n) {
    if (n > few_.size()) many_.resize(n);
    data_ = {n > few_.size() ? many_.data() : few_.data(), n};
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] std::span<double> get() const { return data_; }

 private:
  std::array<double, 64> few_;
  std::vector<double> many_;
  std::span<double> data_;
};

// --- maps
// -----------------------------------------------------------------------------------------------------

struct Table {
  std::vector<double> edges, values;
  [[nodiscard]] double operator()(double p) const {
    return values[std::upper_bound(edges.begin(), edges.end(), p) - edges.begin()];
  }
};

/// The numbers of a step, as the method's row reads them.
struct Numbers {
  double t = 0;              ///< temperature; linear methods: log-probabilities at t when above 0
  std::vector<double> a, b;  ///< in the order of the row's reader
  std::vector<Table> tables;
};

// How each method transforms a row. Methods that take logits return logits, except for the mixtures.

inline void leave(const Numbers&, std::span<double>, int) {}
inline void divide(const Numbers& m, std::span<double> x, int) {
  for (double& v : x) v /= m.t;
}
inline void platt(const Numbers& m, std::span<double> x, int) { x[0] = m.a[0] * x[0] + m.a[1]; }
inline void quadratic(const Numbers& m, std::span<double> x, int) {
  x[0] = m.a[0] + (m.a[1] + m.a[2] * x[0]) * x[0];
}
inline void beta(const Numbers& m, std::span<double> x, int) {
  const double soft = std::log1p(std::exp(-std::fabs(x[0])));
  x[0] = m.a[0] * (std::min(x[0], 0.0) - soft) + m.a[1] * (std::max(x[0], 0.0) + soft) + m.a[2];
}
inline void spline(const Numbers& m, std::span<double> x, int) {
  const auto piece = std::upper_bound(m.b.begin(), m.b.end(), x[0]) - m.b.begin();
  const double d = x[0] - m.b[piece == 0 ? 0 : piece - 1];
  const double* c = m.a.data() + 4 * piece;
  x[0] = c[0] + d * (c[1] + d * (c[2] + d * c[3]));
}
inline void look_up(const Numbers& m, std::span<double> x, int) {
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) sum += x[k] = m.tables[k](x[k]);
  if (x.size() > 1)
    for (double& v : x) v /= sum;
}
inline void mix(const Numbers& m, std::span<double> x, int classes) {
  const Scratch scaled(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) scaled.get()[k] = x[k] / m.t;
  to_probabilities(scaled.get());
  to_probabilities(x);
  for (std::size_t k = 0; k < x.size(); ++k)
    x[k] = m.a[0] * scaled.get()[k] + m.a[1] * x[k] + m.a[2] / classes;
}
inline void mix_and_look_up(const Numbers& m, std::span<double> x, int classes) {
  mix(m, x, classes);
  look_up(m, x, classes);
}
/// W x + b, of a diagonal or a full W.
inline void product(const Numbers& m, std::span<double> x) {
  const std::size_t k = x.size();
  if (m.a.size() == k) {
    for (std::size_t i = 0; i < k; ++i) x[i] = m.a[i] * x[i] + m.b[i];
    return;
  }
  const Scratch out(k);
  for (std::size_t i = 0; i < k; ++i) {
    double sum = m.b[i];
    for (std::size_t j = 0; j < k; ++j) sum += m.a[i * k + j] * x[j];
    out.get()[i] = sum;
  }
  std::copy(out.get().begin(), out.get().end(), x.begin());
}
inline void linear(const Numbers& m, std::span<double> x, int) {
  if (x.size() == 1) {  // two classes: log-odds are split into two logits and joined again
    const double u = x[0] / (m.t > 0 ? m.t : 1), soft = std::log1p(std::exp(-std::fabs(u))),
                 floor = std::log(kClip);
    std::array<double, 2> pair{std::max(-std::max(u, 0.0) - soft, floor),
                               std::max(std::min(u, 0.0) - soft, floor)};
    product(m, pair);
    x[0] = pair[1] - pair[0];
    return;
  }
  if (m.t > 0) to_log_probabilities(x, m.t);
  product(m, x);
}

// The parameters of a step of the file.
class StepReader {
 public:
  StepReader(const Json& step, int classes)
      : parameters_(step.at("parameters")), method_(step.at("method").text), classes_(classes) {}

  [[nodiscard]] const std::string& method() const { return method_; }
  [[nodiscard]] std::size_t classes() const { return classes_; }
  [[nodiscard]] bool has(std::string_view name) const { return parameters_.find(name) != nullptr; }
  [[noreturn]] void fail(const std::string& what) const {
    throw Error("the model's " + method_ + " step " + what);
  }
  [[nodiscard]] std::vector<double> values(std::string_view name) const {
    std::vector<double> out;
    for (const Json& v : parameters_.at(name).at("values").list) {
      if (v.kind != Json::Kind::number) fail("has a value that is not a number in " + std::string(name));
      out.push_back(v.number);
    }
    return out;
  }
  [[nodiscard]] std::vector<double> values(std::string_view name, std::size_t size) const {
    std::vector<double> out = values(name);
    if (out.size() != size) fail("has " + std::to_string(out.size()) + " numbers in " + std::string(name));
    return out;
  }
  /// One number of each name.
  [[nodiscard]] std::vector<double> scalars(std::initializer_list<std::string_view> names) const {
    std::vector<double> out;
    for (const std::string_view name : names) out.push_back(values(name, 1)[0]);
    return out;
  }
  [[nodiscard]] double positive(std::string_view name) const {
    const double x = values(name, 1)[0];
    if (!(x > 0)) fail("has " + std::string(name) + " that is not above 0");
    return x;
  }
  [[nodiscard]] std::vector<Table> tables() const {
    const auto cells = values("cells", classes_ == 2 ? 1 : classes_);
    const auto edges = values("edges"), all = values("values");
    std::vector<Table> out;
    std::size_t edge = 0, value = 0;
    for (const double c : cells) {
      const std::size_t n = c >= 1 && c <= all.size() ? static_cast<std::size_t>(c) : 0;
      if (n == 0 || edge + n - 1 > edges.size() || value + n > all.size()) fail("has tables that do not fit");
      out.push_back({{edges.begin() + edge, edges.begin() + edge + n - 1},
                     {all.begin() + value, all.begin() + value + n}});
      edge += n - 1;
      value += n;
    }
    return out;
  }

 private:
  const Json& parameters_;
  std::string method_;
  std::size_t classes_;
};

inline Numbers read_structured(const StepReader& s) {
  const std::size_t k = s.classes();
  const bool full = s.has("M");
  Numbers m{s.positive("T"), full ? s.values("M", k * k) : std::vector<double>(k, 0.0), s.values("b", k), {}};
  const auto v = s.values("v", k);
  for (std::size_t i = 0; i < k; ++i) m.a[full ? i * (k + 1) : i] += 1 + v[i];
  return m;
}
inline Numbers read_spline(const StepReader& s) {
  Numbers m;
  m.b = s.values("knots");
  if (m.b.empty() || !std::is_sorted(m.b.begin(), m.b.end())) s.fail("has knots that are not in order");
  m.a = s.values("pieces", 4 * (m.b.size() + 1));
  return m;
}

enum class Gives { probabilities, logits };

/// One row per method; the model file names it.
struct MethodRow {
  std::string_view method;
  bool binary;  ///< two classes only
  Input takes;
  Gives gives;
  Numbers (*read)(const StepReader&);
  void (*run)(const Numbers&, std::span<double> x, int classes);
};

inline Numbers read_nothing(const StepReader&) { return {}; }
inline Numbers read_tables(const StepReader& s) { return {0, {}, {}, s.tables()}; }

// clang-format off
inline constexpr MethodRow kMethods[] = {
    {"none",              false, Input::probabilities, Gives::probabilities, read_nothing, leave},
    {"alpha",             false, Input::probabilities, Gives::probabilities, read_nothing, leave},
    {"isotonic",          false, Input::probabilities, Gives::probabilities, read_tables, look_up},
    {"histogram",         false, Input::probabilities, Gives::probabilities, read_tables, look_up},
    {"temperature",       false, Input::logits, Gives::logits, [](const StepReader& s) { return Numbers{s.positive("T"), {}, {}, {}}; }, divide},
    {"vector",            false, Input::logits, Gives::logits, [](const StepReader& s) { return Numbers{0, s.values("v", s.classes()), s.values("b", s.classes()), {}}; }, linear},
    {"matrix",            false, Input::logits, Gives::logits, [](const StepReader& s) { return Numbers{0, s.values("W", s.classes() * s.classes()), s.values("b", s.classes()), {}}; }, linear},
    {"dirichlet",         false, Input::logits, Gives::logits, [](const StepReader& s) { return Numbers{1, s.values("W", s.classes() * s.classes()), s.values("b", s.classes()), {}}; }, linear},
    {"structured-vector", false, Input::logits, Gives::logits, read_structured, linear},
    {"structured-matrix", false, Input::logits, Gives::logits, read_structured, linear},
    {"ets",               false, Input::logits, Gives::probabilities, [](const StepReader& s) { return Numbers{s.positive("T"), s.values("w", 3), {}, {}}; }, mix},
    {"mix-n-match",       false, Input::logits, Gives::probabilities, [](const StepReader& s) { return Numbers{s.positive("T"), s.values("w", 3), {}, s.tables()}; }, mix_and_look_up},
    {"platt",             true,  Input::logits, Gives::logits, [](const StepReader& s) { return Numbers{0, s.scalars({"a", "b"}), {}, {}}; }, platt},
    {"beta",              true,  Input::logits, Gives::logits, [](const StepReader& s) { return Numbers{0, s.scalars({"a", "b", "c"}), {}, {}}; }, beta},
    {"quadratic",         true,  Input::logits, Gives::logits, [](const StepReader& s) { return Numbers{0, s.scalars({"b", "w1", "w2"}), {}, {}}; }, quadratic},
    {"spline",            true,  Input::logits, Gives::logits, read_spline, spline},
};
// clang-format on

/// A step ready to run.
class Map {
 public:
  explicit Map(const StepReader& step) {
    for (const MethodRow& row : kMethods)
      if (row.method == step.method()) row_ = &row;
    if (row_ == nullptr)
      throw Error("the model has a step \"" + step.method() + "\", which this header does not know");
    numbers_ = row_->read(step);
    if (row_->binary && step.classes() != 2) step.fail("is for binary tasks");
  }
  void operator()(std::span<double> x, bool& logits, int classes) const {
    if (row_->takes == Input::logits && !logits) to_logits(x);
    if (row_->takes == Input::probabilities && logits) to_probabilities(x);
    logits = false;
    row_->run(numbers_, x, classes);
    if (row_->gives == Gives::logits) to_probabilities(x);
  }

 private:
  const MethodRow* row_ = nullptr;
  Numbers numbers_;
};

inline void check_checksum(std::string_view text) {
  constexpr std::string_view kKey = ",\n \"checksum\": \"";
  const std::size_t at = text.rfind(kKey);
  if (at == std::string_view::npos) throw Error("the model file has no checksum");
  std::uint64_t h = 0xcbf29ce484222325, given = 0;
  for (const char c : text.substr(0, at)) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  const std::string_view digits = text.substr(at + kKey.size(), 16);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), given, 16);
  if (error != std::errc{} || end != digits.data() + 16 || given != h)
    throw Error("the model file is damaged or was changed by hand: its checksum does not match");
}

}  // namespace detail

// --- Calibrator
// -------------------------------------------------------------------------------------------------

class Calibrator {
 public:
  /// The text of a model file.
  [[nodiscard]] static Calibrator parse(std::string_view text) {
    const detail::Json json = detail::JsonReader(text).read();
    const detail::Json* kind = json.find("kind");
    if (kind == nullptr || kind->text != "plumb calibrator")
      throw Error("this is JSON but not a plumb calibrator");
    if (json.at("format").number != 1)
      throw Error("the model file has a format that this header does not read");
    detail::check_checksum(text);
    if (json.at("task").text == "regression")
      throw Error("the model is for regression; this header is for probabilities");
    Calibrator out;
    const double classes = json.at("classes").number;
    if (!(classes >= 2 && classes <= 1e7)) throw Error("the model file has no number of classes");
    out.classes_ = static_cast<int>(classes);
    for (const detail::Json& step : json.at("steps").list) {
      const detail::StepReader reader(step, out.classes_);
      out.maps_.emplace_back(reader);
      if (step.at("method").text != "alpha") continue;
      out.alpha_ = reader.values("bias", 1);
      if (reader.has("weights"))
        for (const double w : reader.values("weights")) out.alpha_.push_back(w);
    }
    return out;
  }
  [[nodiscard]] static Calibrator load(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw Error("cannot open " + path);
    return parse(std::string(std::istreambuf_iterator<char>(file), {}));
  }

  [[nodiscard]] int classes() const { return classes_; }

  /// One item. K numbers in and out; a binary task may also have one, the log-odds or the probability of
  /// class 1. `in` and `out` may be the same.
  void operator()(std::span<const double> in, Input scale, std::span<double> out) const {
    if (out.size() != in.size()) throw Error("the row for the answer must be as long as the one given");
    bool logits = scale == Input::logits;
    if (classes_ == 2 && in.size() == 2) {
      double one = logits ? in[1] - in[0] : in[1];
      run({&one, 1}, logits);
      out[0] = 1 - one;
      out[1] = one;
      return;
    }
    if (std::ssize(in) != (classes_ == 2 ? 1 : classes_))
      throw Error("the model is for " + std::to_string(classes_) + " classes, the row has " +
                  std::to_string(in.size()));
    std::copy(in.begin(), in.end(), out.begin());
    run(out, logits);
  }

  /// alpha_0 of an item, when the model has an alpha step.
  [[nodiscard]] double concentration(std::span<const double> features = {}) const {
    if (alpha_.size() != features.size() + 1)
      throw Error(alpha_.empty()
                      ? "the model has no alpha step"
                      : "the model's alpha step needs " + std::to_string(alpha_.size() - 1) + " features");
    double s = alpha_[0];
    for (std::size_t j = 0; j < features.size(); ++j) s += alpha_[j + 1] * features[j];
    return std::exp(std::clamp(s, -600.0, 600.0));
  }

 private:
  void run(std::span<double> x, bool logits) const {
    for (const detail::Map& map : maps_) map(x, logits, classes_);
    if (logits) detail::to_probabilities(x);
    for (const double z : x)  // parameters such as 1e308 can give inf - inf
      if (!(z >= -1e-9 && z <= 1 + 1e-9))
        throw Error("the model turns this row into something that is not a probability");
  }

  int classes_ = 0;
  std::vector<detail::Map> maps_;
  std::vector<double> alpha_;  // bias, then weights
};

}  // namespace plumb::apply
