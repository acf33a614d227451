#include "train/checkpoint.hpp"

#include <filesystem>
#include <sstream>

#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/numeric/narrow.hpp"
#include "train/tensors.hpp"

namespace plumb::train {
namespace {

using torch::serialize::InputArchive;
using torch::serialize::OutputArchive;

constexpr std::int64_t kFormat = 1;

void write_entry(OutputArchive& a, const std::string& key, const std::string& text) {
  a.write(key, c10::IValue(text));
}
void write_entry(OutputArchive& a, const std::string& key, std::int64_t x) { a.write(key, c10::IValue(x)); }
void write_entry(OutputArchive& a, const std::string& key, double x) { a.write(key, c10::IValue(x)); }

c10::IValue get(InputArchive& a, const std::string& key) {
  c10::IValue v;
  if (!a.try_read(key, v))
    throw InputError("the model file has no \"" + key + "\": it is damaged or of another version of plumb");
  return v;
}

void write_archive(const std::string& path, OutputArchive& archive) {
  std::ostringstream bytes;
  archive.save_to(bytes);
  write_file(path, bytes.str());
}

InputArchive read_archive(const std::string& path, const std::string& kind, torch::Device device) {
  if (!std::filesystem::exists(path)) throw InputError("there is no " + path);
  try {
    InputArchive archive;
    archive.load_from(path, device);
    if (get(archive, "kind").toStringRef() == kind && get(archive, "format").toInt() <= kFormat)
      return archive;
  } catch (const c10::Error&) {
    throw InputError(path + " cannot be read; it is damaged or not a file of plumb train");
  }
  throw InputError(path + " is of another kind or from a later version of plumb");
}

void write_model(OutputArchive& a, const Model& m) {
  write_entry(a, "config", to_json(m.options));
  a.write("input", torch::tensor(m.input, torch::kLong));
  write_entry(a, "task", static_cast<std::int64_t>(m.task));
  write_entry(a, "head", static_cast<std::int64_t>(m.head));
  write_entry(a, "classes", m.classes);
  write_entry(a, "outputs", m.outputs);
  write_entry(a, "lr", m.lr);
  write_entry(a, "bytes", std::int64_t{m.bytes});
  write_entry(a, "normalised", std::int64_t{m.normalisation.mean.defined()});
  if (m.normalisation.mean.defined()) {
    a.write("mean", m.normalisation.mean);
    a.write("deviation", m.normalisation.deviation);
  }
  write_entry(a, "measures", std::int64_t{m.net->measures()});
  OutputArchive net;
  m.net->save(net);
  a.write("network", net);
}

Model read_model(InputArchive& a, const std::string& path, torch::Device device) {
  Model m;
  m.options = from_json(get(a, "config").toStringRef(), path);
  torch::Tensor input;
  a.read("input", input);
  input = input.cpu();
  m.input.assign(input.data_ptr<std::int64_t>(), input.data_ptr<std::int64_t>() + input.numel());
  m.task = static_cast<Task>(get(a, "task").toInt());
  m.head = static_cast<Head>(get(a, "head").toInt());
  m.classes = get(a, "classes").toInt();
  m.outputs = get(a, "outputs").toInt();
  m.lr = get(a, "lr").toDouble();
  m.bytes = get(a, "bytes").toInt() != 0;
  if (get(a, "normalised").toInt() != 0) {
    a.read("mean", m.normalisation.mean);
    a.read("deviation", m.normalisation.deviation);
    m.normalisation = m.normalisation.to(torch::kCPU);
  }
  m.net = make_network(m.options, m.input, head_width(m.head, m.classes, m.outputs));
  c10::IValue measures;  // older files have none: their last layer predicts the targets themselves
  if (a.try_read("measures", measures) && measures.toInt() != 0) {
    const auto d = torch::ones({m.outputs});
    m.net->measure_in({d, d.clone(), d.clone()});
  }
  InputArchive net;
  a.read("network", net);
  m.net->load(net);
  place(*m.net, device);
  return m;
}

}  // namespace

void save_model(const std::string& path, const Model& model) {
  OutputArchive a;
  write_entry(a, "kind", std::string("plumb model"));
  write_entry(a, "format", kFormat);
  write_model(a, model);
  write_archive(path, a);
}

Model load_model(const std::string& path, torch::Device device) {
  InputArchive a = read_archive(path, "plumb model", device);
  return read_model(a, path, device);
}

void save_checkpoint(const std::string& path, const TrainState& s) {
  OutputArchive a;
  write_entry(a, "kind", std::string("plumb checkpoint"));
  write_entry(a, "format", kFormat);
  write_model(a, s.model);
  OutputArchive optimiser;
  s.optimiser->save(optimiser);
  a.write("optimiser", optimiser);
  write_entry(a, "scale", s.schedule.scale);
  write_entry(a, "best_loss", s.schedule.best);
  write_entry(a, "best_epoch", s.schedule.best_epoch);
  write_entry(a, "stale", s.schedule.stale);
  write_entry(a, "since_cut", s.schedule.since_cut);
  write_entry(a, "phase", std::int64_t{s.phase});
  write_entry(a, "phase_epoch", s.phase_epoch);
  write_entry(a, "base_lr", s.base_lr);
  write_entry(a, "best_lr", s.best_lr);
  write_entry(a, "history", history_json(s.history));
  write_entry(a, "best_size", std::ssize(s.best));
  for (std::size_t i = 0; i < s.best.size(); ++i) a.write("best_" + std::to_string(i), s.best[i]);
  write_archive(path, a);
}

TrainState load_checkpoint(const std::string& path, const TrainOptions& o, const Dataset& data,
                           torch::Device device) {
  InputArchive a = read_archive(path, "plumb checkpoint", device);
  TrainState s;
  s.model = read_model(a, path, device);
  if (s.model.input != data.train.inputs.sizes().slice(1).vec() || s.model.classes != data.classes)
    throw InputError(path + " was trained on data whose shape differs from what " + o.data + " holds now");
  s.model.options = o;
  s.optimiser = make_optimiser(o, s.model.net->parameters());
  InputArchive optimiser;
  a.read("optimiser", optimiser);
  s.optimiser->load(optimiser);
  s.schedule = {get(a, "scale").toDouble(), get(a, "best_loss").toDouble(), get(a, "best_epoch").toInt(),
                get(a, "stale").toInt(), get(a, "since_cut").toInt()};
  s.phase = narrow<int>(get(a, "phase").toInt());
  s.phase_epoch = get(a, "phase_epoch").toInt();
  s.base_lr = get(a, "base_lr").toDouble();
  s.best_lr = get(a, "best_lr").toDouble();
  s.history = parse_history(get(a, "history").toStringRef());
  s.best.resize(get(a, "best_size").toInt());
  for (std::size_t i = 0; i < s.best.size(); ++i) a.read("best_" + std::to_string(i), s.best[i]);
  return s;
}

}  // namespace plumb::train
