// Runs a calibrator that `plumb calibrate fit` saved, in somebody else's program: this one file, C++20, no
// library beyond the standard one. One row at a time, without allocation up to 64 classes, under a
// microsecond for ten; several threads may share a Calibrator.
//
//   const auto calibrate = plumb::apply::Calibrator::load("model.json");
//   calibrate(logits, plumb::apply::Input::logits, probabilities);   // K numbers in, K out
//
// It agrees with the library to 1e-12: the C library's exp and log stand for the portable ones. The file is
// in four parts: JSON, numbers, maps, Calibrator.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
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

  [[noreturn]] static void fail() { throw Error("the model file is no JSON or was cut off"); }
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

/// Log-odds when there is one number, else one logit for each class.
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

enum class Method {
  none,
  temperature,
  diagonal,
  full,
  platt,
  beta,
  quadratic,
  spline,
  ets,
  table,
  ets_table
};

struct Table {
  std::vector<double> edges, values;
  [[nodiscard]] double operator()(double p) const {
    return values[static_cast<std::size_t>(std::upper_bound(edges.begin(), edges.end(), p) - edges.begin())];
  }
};

struct Map {
  Method method = Method::none;
  double t = 0;              ///< temperature; diagonal, full: log-probabilities at t when above 0
  std::vector<double> a, b;  ///< numbers of the method, in the order that read() gives them
  std::vector<Table> tables;

  void operator()(std::span<double> x, bool& logits, int classes) const {
    const bool wants_logits = method != Method::none && method != Method::table;
    if (wants_logits && !logits) to_logits(x);
    if (!wants_logits && logits) to_probabilities(x);
    logits = false;
    switch (method) {
      case Method::none:
        return;
      case Method::table:
        return look_up(x);
      case Method::ets:
        return mix(x, classes);
      case Method::ets_table:
        mix(x, classes);
        return look_up(x);
      case Method::temperature:
        for (double& v : x) v /= t;
        break;
      case Method::platt:
        x[0] = a[0] * x[0] + a[1];
        break;
      case Method::quadratic:
        x[0] = a[0] + (a[1] + a[2] * x[0]) * x[0];
        break;
      case Method::beta: {
        const double soft = std::log1p(std::exp(-std::fabs(x[0])));
        x[0] = a[0] * (std::min(x[0], 0.0) - soft) + a[1] * (std::max(x[0], 0.0) + soft) + a[2];
        break;
      }
      case Method::spline: {
        const auto piece = static_cast<std::size_t>(std::upper_bound(b.begin(), b.end(), x[0]) - b.begin());
        const double d = x[0] - b[piece == 0 ? 0 : piece - 1];
        const double* c = a.data() + 4 * piece;
        x[0] = c[0] + d * (c[1] + d * (c[2] + d * c[3]));
        break;
      }
      default:
        linear(x);
    }
    to_probabilities(x);
  }

 private:
  void look_up(std::span<double> x) const {
    double sum = 0;
    for (std::size_t k = 0; k < x.size(); ++k) sum += x[k] = tables[k](x[k]);
    if (x.size() > 1)
      for (double& v : x) v /= sum;
  }
  void mix(std::span<double> x, int classes) const {
    const Scratch scaled(x.size());
    for (std::size_t k = 0; k < x.size(); ++k) scaled.get()[k] = x[k] / t;
    to_probabilities(scaled.get());
    to_probabilities(x);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = a[0] * scaled.get()[k] + a[1] * x[k] + a[2] / classes;
  }
  void linear(std::span<double> x) const {
    if (x.size() == 1) {  // two classes: log-odds come apart and are put together again
      const double u = x[0] / (t > 0 ? t : 1), soft = std::log1p(std::exp(-std::fabs(u))),
                   floor = std::log(kClip);
      std::array<double, 2> pair{std::max(-std::max(u, 0.0) - soft, floor),
                                 std::max(std::min(u, 0.0) - soft, floor)};
      product(pair);
      x[0] = pair[1] - pair[0];
      return;
    }
    if (t > 0) to_log_probabilities(x, t);
    product(x);
  }
  void product(std::span<double> x) const {
    const std::size_t k = x.size();
    if (method == Method::diagonal) {
      for (std::size_t i = 0; i < k; ++i) x[i] = a[i] * x[i] + b[i];
      return;
    }
    const Scratch out(k);
    for (std::size_t i = 0; i < k; ++i) {
      double sum = b[i];
      for (std::size_t j = 0; j < k; ++j) sum += a[i * k + j] * x[j];
      out.get()[i] = sum;
    }
    std::copy(out.get().begin(), out.get().end(), x.begin());
  }
};

// What a step of the file becomes.
class StepReader {
 public:
  StepReader(const Json& step, int classes)
      : parameters_(step.at("parameters")),
        method_(step.at("method").text),
        classes_(static_cast<std::size_t>(classes)) {}

  [[nodiscard]] Map read() const {
    Map m;
    const std::size_t k = classes_;
    if (method_ == "none" || method_ == "alpha") return m;
    if (method_ == "temperature") {
      m.method = Method::temperature;
      m.t = positive("T");
    } else if (method_ == "vector" || method_ == "structured-vector") {
      m.method = Method::diagonal;
      m.a = values("v", k);
      m.b = values("b", k);
      if (method_ != "vector") {
        m.t = positive("T");
        for (double& v : m.a) v += 1;
      }
    } else if (method_ == "matrix" || method_ == "dirichlet" || method_ == "structured-matrix") {
      m.method = Method::full;
      m.a = values(method_ == "structured-matrix" ? "M" : "W", k * k);
      m.b = values("b", k);
      m.t = method_ == "matrix" ? 0 : method_ == "dirichlet" ? 1 : positive("T");
      if (method_ == "structured-matrix") {
        const auto v = values("v", k);
        for (std::size_t i = 0; i < k; ++i) m.a[i * (k + 1)] += 1 + v[i];
      }
    } else if (method_ == "isotonic" || method_ == "histogram") {
      m.method = Method::table;
      m.tables = tables();
    } else if (method_ == "ets" || method_ == "mix-n-match") {
      m.method = method_ == "ets" ? Method::ets : Method::ets_table;
      m.t = positive("T");
      m.a = values("w", 3);
      if (method_ != "ets") m.tables = tables();
    } else {
      read_binary(m);
    }
    return m;
  }
  [[nodiscard]] std::vector<double> values(std::string_view name, std::size_t size) const {
    std::vector<double> out = values(name);
    if (out.size() != size) fail("has " + std::to_string(out.size()) + " numbers in " + std::string(name));
    return out;
  }
  [[nodiscard]] std::vector<double> values(std::string_view name) const {
    std::vector<double> out;
    for (const Json& v : parameters_.at(name).at("values").list) {
      if (v.kind != Json::Kind::number) fail("has something that is no number in " + std::string(name));
      out.push_back(v.number);
    }
    return out;
  }
  [[nodiscard]] bool has(std::string_view name) const { return parameters_.find(name) != nullptr; }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error("the model's " + method_ + " step " + what);
  }
  [[nodiscard]] double positive(std::string_view name) const {
    const double x = values(name, 1)[0];
    if (!(x > 0)) fail("has " + std::string(name) + " that is not above 0");
    return x;
  }
  void append(Map& m, std::string_view name) const { m.a.push_back(values(name, 1)[0]); }
  void read_binary(Map& m) const {
    if (method_ == "platt") {
      m.method = Method::platt;
      for (const char* name : {"a", "b"}) append(m, name);
    } else if (method_ == "beta") {
      m.method = Method::beta;
      for (const char* name : {"a", "b", "c"}) append(m, name);
    } else if (method_ == "quadratic") {
      m.method = Method::quadratic;
      for (const char* name : {"b", "w1", "w2"}) append(m, name);
    } else if (method_ == "spline") {
      m.method = Method::spline;
      m.b = values("knots");
      if (m.b.empty() || !std::is_sorted(m.b.begin(), m.b.end())) fail("has knots that are not in order");
      m.a = values("pieces", 4 * (m.b.size() + 1));
    } else {
      throw Error("the model has a step \"" + method_ + "\", which this header does not know");
    }
    if (classes_ != 2) fail("is for binary tasks");
  }
  [[nodiscard]] std::vector<Table> tables() const {
    const auto cells = values("cells", classes_ == 2 ? 1 : classes_);
    const auto edges = values("edges"), all = values("values");
    std::vector<Table> out;
    std::size_t edge = 0, value = 0;
    for (const double c : cells) {
      const auto n = c >= 1 && c <= static_cast<double>(all.size()) ? static_cast<std::size_t>(c) : 0;
      if (n == 0 || edge + n - 1 > edges.size() || value + n > all.size()) fail("has tables that do not fit");
      const auto from = [](const std::vector<double>& v, std::size_t at) {
        return v.begin() + static_cast<std::ptrdiff_t>(at);
      };
      out.push_back(
          {{from(edges, edge), from(edges, edge + n - 1)}, {from(all, value), from(all, value + n)}});
      edge += n - 1;
      value += n;
    }
    return out;
  }

  const Json& parameters_;
  std::string method_;
  std::size_t classes_;
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
    throw Error("the model file is damaged or was changed by hand: its checksum does not fit");
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
      throw Error("this is JSON but no calibrator of plumb");
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
      out.maps_.push_back(reader.read());
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

  /// One item. K numbers in and out; a binary task may also have one: the log-odds or the probability of
  /// class
  /// 1. `in` and `out` may be the same.
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
    if (in.size() != static_cast<std::size_t>(classes_ == 2 ? 1 : classes_))
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
                      : "the model's alpha step wants " + std::to_string(alpha_.size() - 1) + " features");
    double s = alpha_[0];
    for (std::size_t j = 0; j < features.size(); ++j) s += alpha_[j + 1] * features[j];
    return std::exp(std::clamp(s, -600.0, 600.0));
  }

 private:
  void run(std::span<double> x, bool logits) const {
    for (const detail::Map& map : maps_) map(x, logits, classes_);
    if (logits) detail::to_probabilities(x);
  }

  int classes_ = 0;
  std::vector<detail::Map> maps_;
  std::vector<double> alpha_;  // bias, then weights
};

}  // namespace plumb::apply
