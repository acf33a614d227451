// libplumb_figures.so: Vega in QuickJS. The script draws when plumbFigure() is called, and leaves SVG or an
// error in plumbAnswer once all promises are resolved.
#include <quickjs.h>
#include <time.h>

#include <memory>
#include <string>

#include "figures/abi.hpp"
#include "figures/plugin/bundle.hpp"

#define PLUMB_EXPORT extern "C" __attribute__((visibility("default")))

namespace plumb::detail {
namespace {

constexpr double kSeconds = 120;  // of the processor, for one figure
constexpr std::size_t kMemory = std::size_t{2} << 30;
constexpr std::size_t kStack = std::size_t{2} << 20;  // of the 8 MB that a program has

double processor_seconds() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

void give(Sink sink, std::string_view text) { sink.take(sink.to, text.data(), text.size()); }

/// A value that is released with its owner.
class Value {
 public:
  Value(JSContext* context, JSValue value) : context_(context), value_(value) {}
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;
  ~Value() { JS_FreeValue(context_, value_); }
  [[nodiscard]] JSValue get() const { return value_; }
  [[nodiscard]] bool is_string() const { return JS_IsString(value_) != 0; }
  [[nodiscard]] bool is_exception() const { return JS_IsException(value_) != 0; }
  [[nodiscard]] std::string text() const {
    std::size_t size = 0;
    const char* bytes = JS_ToCStringLen(context_, &size, value_);
    if (bytes == nullptr) return "an unknown error";
    std::string out(bytes, size);
    JS_FreeCString(context_, bytes);
    return out;
  }

 private:
  JSContext* context_;
  JSValue value_;
};

/// One line, and not too much of it: an error may quote the data.
std::string clause(std::string text) {
  constexpr std::size_t kMost = 200;
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  if (text.size() > kMost) {
    std::size_t end = kMost;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
    text.resize(end);
  }
  return text;
}

class Engine {
 public:
  Engine() : runtime_(JS_NewRuntime()), context_(JS_NewContext(runtime_)) {
    JS_SetMemoryLimit(runtime_, kMemory);
    JS_SetMaxStackSize(runtime_, kStack);
    JS_SetInterruptHandler(runtime_, over_time, this);
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine() {
    JS_FreeContext(context_);
    JS_FreeRuntime(runtime_);
  }

  [[nodiscard]] bool load(Sink why) {
    begin();
    const std::string_view script = figure_script();
    const Value result(context_,
                       JS_Eval(context_, script.data(), script.size(), "figure.js", JS_EVAL_TYPE_GLOBAL));
    return !result.is_exception() || complain(why);
  }

  [[nodiscard]] bool draw(std::string_view request, Sink svg, Sink why) {
    begin();
    const Value global(context_, JS_GetGlobalObject(context_));
    const Value function(context_, JS_GetPropertyStr(context_, global.get(), "plumbFigure"));
    const Value argument(context_, JS_NewStringLen(context_, request.data(), request.size()));
    JSValue arguments[] = {argument.get()};
    const Value result(context_, JS_Call(context_, function.get(), global.get(), 1, arguments));
    if (result.is_exception()) return complain(why);
    JSContext* at = nullptr;
    int left = 0;
    while ((left = JS_ExecutePendingJob(runtime_, &at)) > 0) {
    }
    if (left < 0) return complain(why);
    const Value answer(context_, JS_GetPropertyStr(context_, global.get(), "plumbAnswer"));
    const Value drawn(context_, JS_GetPropertyStr(context_, answer.get(), "svg"));
    if (drawn.is_string()) {
      give(svg, drawn.text());
      return true;
    }
    const Value error(context_, JS_GetPropertyStr(context_, answer.get(), "error"));
    give(why, late_ ? kLate : error.is_string() ? clause(error.text()) : "it did not finish");
    return false;
  }

 private:
  static constexpr const char* kLate = "it took more than two minutes";

  static int over_time(JSRuntime* /*runtime*/, void* self) {
    auto* engine = static_cast<Engine*>(self);
    engine->late_ = processor_seconds() > engine->deadline_;
    return engine->late_ ? 1 : 0;
  }
  void begin() {
    JS_UpdateStackTop(runtime_);  // it may be another thread's than the last time
    late_ = false;
    deadline_ = processor_seconds() + kSeconds;
  }
  bool complain(Sink why) {
    const Value error(context_, JS_GetException(context_));
    give(why, late_ ? kLate : clause(error.text()));
    return false;
  }

  JSRuntime* runtime_;
  JSContext* context_;
  double deadline_ = 0;
  bool late_ = false;
};

}  // namespace
}  // namespace plumb::detail

PLUMB_EXPORT int plumb_plugin_abi() { return plumb::detail::kFiguresAbi; }

PLUMB_EXPORT void* plumb_figures_open(plumb::detail::Sink why) {
  auto engine = std::make_unique<plumb::detail::Engine>();
  return engine->load(why) ? engine.release() : nullptr;
}

PLUMB_EXPORT bool plumb_figures_draw(void* engine, const char* request, std::size_t size,
                                     plumb::detail::Sink svg, plumb::detail::Sink why) {
  return static_cast<plumb::detail::Engine*>(engine)->draw({request, size}, svg, why);
}

PLUMB_EXPORT void plumb_figures_close(void* engine) { delete static_cast<plumb::detail::Engine*>(engine); }
