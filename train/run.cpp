#include "train/run.hpp"

#include <chrono>
#include <cinttypes>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "train/checkpoint.hpp"
#include "train/claim.hpp"
#include "train/outputs.hpp"
#include "train/tensors.hpp"

namespace plumb::train {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

std::string clock_text(double seconds) {
  const std::int64_t s = std::llround(seconds);
  char text[32];
  std::snprintf(text, sizeof text, "%" PRId64 ":%02" PRId64 ":%02" PRId64, s / 3600, s / 60 % 60, s % 60);
  return text;
}

std::string short_number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4f", x);
  return text;
}

// "epoch 12/100 calibration  loss 0.5312  validation 0.5401 (best 0.5388)  about 0:03:10 left"
class Progress {
 public:
  Progress(const TrainOptions& o, const Hooks& hooks) : hooks_(hooks), epochs_(most_epochs(o)) {}
  void batch(const TrainState& s, std::int64_t epoch, double share, const std::function<double()>& loss) {
    const auto now = Clock::now();
    if (now - shown_ < std::chrono::milliseconds(200)) return;
    shown_ = now;
    if (first_ < 0) first_ = epoch - 1;
    const double done = (epoch - 1) + share - first_;
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    const double left = (epochs_ - first_ - done) * elapsed / std::max(done, 1e-9);
    char text[200];
    std::snprintf(text, sizeof text,
                  "epoch %" PRId64 "/%" PRId64 " %3.0f%%  loss %.4f  best validation %s  at most %s left",
                  epoch, epochs_, 100 * share, loss(),
                  std::isfinite(s.schedule.best) ? short_number(s.schedule.best).c_str() : "-",
                  clock_text(left).c_str());
    hooks_.status(text);
  }

 private:
  const Hooks& hooks_;
  std::int64_t epochs_;
  Clock::time_point start_ = Clock::now(), shown_ = {};
  double first_ = -1;
};

void write_history(const std::string& out, const History& h) {
  write_file(out + "/history.json", history_json(h));
  write_file(out + "/history.csv", history_csv(h));
}

// Files that a killed process left unfinished (".history.json.PID-N.tmp").
void remove_unfinished(const std::string& out) {
  std::vector<fs::path> left;
  for (const auto& entry : fs::directory_iterator(out)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(".") && name.ends_with(".tmp")) left.push_back(entry.path());
  }
  for (const fs::path& path : left) fs::remove(path);
}

}  // namespace

std::optional<double> RunResult::metric(const std::string& part, const std::string& key) const {
  const auto p = metrics.find(part);
  if (p == metrics.end()) return {};
  const auto m = p->second.find(key);
  return m == p->second.end() ? std::nullopt : m->second;
}

std::string to_json(const RunResult& r) {
  Json j{{"method", r.method}, {"epochs", r.epochs}, {"best_epoch", r.best_epoch}, {"seconds", r.seconds}};
  if (r.strength) j["strength"] = *r.strength;  // the one that --tune chose
  for (const auto& [part, metrics] : r.metrics) {
    Json one = Json::object();
    for (const auto& [key, value] : metrics) one[key] = value ? Json(*value) : Json(nullptr);
    j[part] = std::move(one);
  }
  return j.dump(2) + "\n";
}

std::string method_name(const TrainOptions& o, Head head) {
  if (!is_regression(head)) return o.method;
  return head == Head::gaussian ? "gaussian" : "laplace";
}

bool is_finished(const std::string& folder) { return fs::exists(folder + "/result.json"); }

bool lies_within(const std::string& path, const std::string& folder) {
  const fs::path way = fs::weakly_canonical(path).lexically_relative(fs::weakly_canonical(folder));
  return !way.empty() && *way.begin() != "..";
}

std::string owner_of(const std::string& path) {
  const fs::path absolute = fs::weakly_canonical(fs::absolute(path));
  const auto holds_run = [](const fs::path& at) {
    return fs::exists(at / "model.pt") ||
           (fs::exists(at / "config.json") &&
            (fs::exists(at / "result.json") || fs::exists(at / "checkpoint.pt")));
  };
  for (fs::path at = absolute; at.has_relative_path(); at = at.parent_path()) {
    if (!holds_run(at)) continue;
    const std::string first = absolute.lexically_relative(at).begin()->string();
    if (first == "." || first == "train" || first == "validation" || first == "test" ||
        first.starts_with("member_") || first.starts_with("strength_"))
      return at.string();
  }
  return "";
}

RunResult read_result(const std::string& folder) {
  const std::string path = folder + "/result.json";
  if (!fs::exists(path)) throw InputError(folder + " holds no finished run (there is no result.json)");
  try {
    const Json j = Json::parse(read_text(path));
    RunResult r;
    r.method = j.at("method").get<std::string>();
    r.epochs = j.at("epochs").get<std::int64_t>();
    r.best_epoch = j.at("best_epoch").get<std::int64_t>();
    r.seconds = j.at("seconds").get<double>();
    if (j.contains("strength")) r.strength = j["strength"].get<double>();
    for (const char* part : {"train", "validation", "test"}) {
      if (!j.contains(part)) continue;
      for (const auto& item : j[part].items())
        r.metrics[part][item.key()] =
            item.value().is_null() ? std::nullopt : std::optional<double>(item.value().get<double>());
    }
    return r;
  } catch (const Json::exception&) {
    throw InputError(path + " is damaged; remove it and run again with ⟦resume⟧");
  }
}

TrainOptions read_config(const std::string& folder) {
  const std::string path = folder + "/config.json";
  if (!fs::exists(path)) throw InputError(folder + " holds no run (there is no config.json)");
  return run_from_json(read_text(path), path);
}

void write_config(const TrainOptions& o) {
  const std::string path = o.out + "/config.json";
  if (fs::exists(path)) {
    if (to_json(read_config(o.out)) == to_json(o)) return;
    throw InputError(
        o.out + " holds a run with other options; choose another ⟦out⟧, or continue that run with ⟦resume⟧ " +
        o.out);
  }
  fs::create_directories(o.out);
  write_file(path, to_json(o));
}

RunResult train_one(const TrainOptions& o, const Hooks& hooks) {
  if (is_finished(o.out)) {
    write_config(o);
    return read_result(o.out);
  }
  const torch::Device device = device_of(o.device);
  set_up_torch(o.threads, device);
  const Dataset data = load_dataset(o);
  const std::string checkpoint = o.out + "/checkpoint.pt", lock = o.out + "/.lock";
  std::optional<Claim> claim;
  TrainState state;
  if (fs::exists(checkpoint)) {
    write_config(o);
    claim.emplace(lock);
    if (!claim->held()) throw Busy(o.out);
    remove_unfinished(o.out);
    state = load_checkpoint(checkpoint, o, data, device);
  } else {
    state = start_training(o, data, device);  // throws before the folder is created
    write_config(o);
    claim.emplace(lock);
    if (!claim->held()) throw Busy(o.out);
    if (is_finished(o.out)) return read_result(o.out);  // by another process in the meantime
  }
  double before = 0;
  for (const HistoryRow& row : state.history) before += row.seconds;
  const auto start = Clock::now();
  Progress progress(o, hooks);
  TrainHooks inner;
  inner.interrupted = hooks.interrupted;
  if (hooks.status) {
    inner.on_batch = [&](std::int64_t epoch, double share, const auto& loss) {
      progress.batch(state, epoch, share, loss);
    };
  }
  inner.on_epoch = [&](const TrainState& s) {
    if (std::ssize(s.history) % o.checkpoint_every != 0) return;
    save_checkpoint(checkpoint, s);
    write_history(o.out, s.history);
  };
  if (!run_training(state, data, device, inner)) throw Interrupted{};
  RunResult r;
  r.method = method_name(o, state.model.head);
  r.epochs = std::ssize(state.history);
  r.best_epoch = state.schedule.best_epoch;
  r.seconds = before + std::chrono::duration<double>(Clock::now() - start).count();
  const bool kept = r.best_epoch == 0 || state.history[r.best_epoch - 1].phase == "ce";
  if (hooks.say && is_cape(o.method) && !o.from_start && kept)
    hooks.say("CaPE found no better validation log-loss: the early-stopped model is kept");
  save_model(o.out + "/model.pt", state.model);
  write_history(o.out, state.history);
  r.metrics = write_outputs(o.out, state.model, data, device);
  write_file(o.out + "/result.json", to_json(r));  // written last: when it exists, so does the rest
  fs::remove(checkpoint);
  return r;
}

}  // namespace plumb::train
