#include "train/options/flags.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "plumb/data/check.hpp"

namespace plumb::cli {
namespace {

constexpr const char* kTrainExamples = R"(Methods (--method; --strength in brackets):
  ce               cross-entropy, stopped early on the validation log-loss
  cape-bin, cape-kernel
                   CaPE (Liu 2022): from the early-stopped model on, every m-th epoch fits the outputs to the
                   empirical probabilities of similar outputs [0; w > 0: a weighted sum of both losses instead]
  focal            (1 - p)^gamma times the log-loss [gamma = 2]
  entropy          rewards entropy of the output [beta = 1]
  mmce             adds a kernel calibration error of the batch [beta = 3]
  label-smoothing  a share of each label spread over the classes [0.05]
  mixup            mixed pairs of items and of their labels [alpha = 0.2]
  ce-resampled     labels redrawn in each epoch from known probabilities: the oracle in simulations

A data folder contains train/, validation/ and test/, each with images.npy (N x C x H x W), or features.npy or .csv
(N x D), and labels.npy (N), counts.npy (N x K votes), ratings.npy (N x R) or targets.npy (regression), and truth.npy
where the true probabilities are known. MNIST's idx files, CIFAR-10's binary batches, UTKFace's photographs and folders
of PNG or JPEG files with a labels.csv (columns file, label) are read too.

Examples:
  faces with a known risk: from simulated data to an evaluated model
    plumb demo faces --out faces
    plumb train --data faces --model resnet18 --method cape-bin --lr 0.01 --plateau 5 --out runs/cape
    plumb evaluate --probs runs/cape/test/probs.npy --labels runs/cape/test/labels.npy
  several labels per image; dropout, for stochastic predictions later
    plumb demo digits --out digits
    plumb train --data digits --model cnn --optimizer adam --lr 0.001 --targets counts --out runs/cnn
  regression with its own uncertainty
    plumb demo regression-images --out cells
    plumb train --data cells --model cnn --head gaussian --optimizer adam --lr 0.0003 --out runs/reg
  continue an interrupted run
    plumb train --resume runs/cape
  choose the strength by validation log-loss
    plumb train --data faces --model cnn --method focal --tune 0.5,1,2,3 --out runs/focal
  many runs, three at a time on one device
    plumb train --grid grid.json --out runs/grid --jobs 3
The run folder contains config.json, model.pt, history.json and .csv, result.json, and for train, validation and test
logits.npy, probs.npy, features.npy and the labels. The same seed and number of threads (--threads) give the same bits
on the CPU, interrupted or not.)";

constexpr const char* kPredictExamples = R"(Examples, on the runs that "plumb train --help" makes:
  twenty passes with dropout, and how well they detect wrong answers
    plumb predict runs/cnn --mc-dropout --samples 20 --out runs/cnn/mc
    plumb uncertainty --samples runs/cnn/mc/samples.npy --counts runs/cnn/mc/counts.npy
  test-time augmentation
    plumb predict runs/cape --tta --flip --rotation 10 --out runs/cape/tta
  regression: mean, aleatoric and epistemic variance (Laves 2021, eq. 10)
    plumb predict runs/reg --mc-dropout --samples 25 --out runs/reg/mc
  the predictions as one table, with a column for each class
    plumb predict runs/cnn --out predictions.parquet
A run with --ensemble M gives one sample per member, or --samples for each with --mc-dropout or --tta.)";

template <class T>
T parsed(const char* flag, const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty())
    throw InputError(std::string(flag) + " takes numbers, not \"" + text + "\"");
  return value;
}

template <class T>
std::vector<T> parsed_list(const char* flag, const Args& texts) {
  std::vector<T> out;
  for (const std::string& text : texts) out.push_back(parsed<T>(flag, text));
  return out;
}

// All other flags define the run: --resume cannot change them, and a grid has them in its file.
constexpr std::array<std::string_view, 9> kFlagsOfExecution = {
    "--data",   "--out",     "--resume",           "--grid", "--jobs",
    "--device", "--threads", "--checkpoint-every", "--quiet"};

Args flags_that_define_a_run(const Flags& flags) {
  Args given = flags.given();
  std::erase_if(given, [](const std::string& flag) {
    return std::find(kFlagsOfExecution.begin(), kFlagsOfExecution.end(), flag) != kFlagsOfExecution.end();
  });
  return given;
}

// Checked before anything is computed: the nearest existing folder above `out` must be writable.
void check_out(const std::string& out) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path at = fs::absolute(out, error).lexically_normal();
  while (!fs::exists(at, error) && at.has_relative_path()) at = at.parent_path();
  if (!fs::is_directory(at, error))
    throw InputError("--out " + out + ": " + at.string() + " is a file, not a folder; choose another name");
  if (::access(at.c_str(), W_OK | X_OK) != 0)
    throw InputError("--out " + out + ": cannot write to the folder " + at.string() + ": " +
                     std::strerror(errno));
}

// A flag without effect is an error; in a grid it may be meant for other cells.
void check_effect(const Flags& flags, const train::TrainOptions& o) {
  const auto only = [&](const char* flag, bool serves, const std::string& whom) {
    if (flags.given(flag) && !serves)
      throw InputError(std::string(flag) + " is for " + whom + "; leave it out here");
  };
  for (const char* flag :
       {"--cape-every", "--cape-bins", "--cape-neighbours", "--cape-sigma", "--cape-epochs", "--cape-lr"})
    only(flag, train::is_cape(o.method), "--method cape-bin and cape-kernel");
  only("--strength", o.method != "ce" && o.method != "ce-resampled",
       "methods that have one, and " + o.method + " has none");
  only("--hidden", o.model == "mlp", "--model mlp");
  only("--width", o.model == "resnet18" || o.model == "vgg16-small" || o.model == "unet-small",
       "--model resnet18, vgg16-small and unet-small");
  only("--dropout", o.model != "linear", "networks with hidden layers, not for --model linear");
  only("--momentum", o.optimizer == "sgd", "--optimizer sgd");
  only("--validation-share", !std::filesystem::is_directory(o.data + "/validation"),
       "data without validation/, and " + o.data + " has one");
}

// "--train-items" is "train_items" there.
[[noreturn]] void refuse_beside_grid(const std::string& flag, const std::string& grid) {
  std::string name = flag.substr(2);
  for (char& c : name) c = c == '-' ? '_' : c;
  name = name == "raw" ? "\"normalize\": false" : "\"" + name + "\"";
  throw InputError(flag + " cannot be combined with --grid; write " + name + " into \"base\" of " + grid);
}

void add_train_flags(Flags& flags, TrainFlags& t) {
  train::TrainOptions& o = t.options;
  flags.heading("Data");
  flags.text("--data", "FOLDER", o.data, "data folder");
  flags.choice("--format", train::kFormats, o.format, "layout of the data");
  flags.choice("--targets", train::kTargetKinds, o.targets, "what to predict");
  flags.number("--validation-share", o.validation_share,
               "share of train/ used for validation when there is no validation/");
  flags.integer("--train-items", o.train_items, "use only the first N training items; 0: all");
  flags.integer("--image-size", o.image_size, "resize image files to N x N pixels; 0: do not resize");
  flags.choice("--scenario", train::kScenarioNames, o.scenario,
               "UTKFace: outcomes drawn from this risk by age; none: the age is learned");
  flags.toggle("--raw", t.raw, "do not standardise the inputs (bytes are still divided by 255)");
  flags.heading("Model");
  flags.choice("--model", train::kModels, o.model, "the network");
  flags.choice("--head", train::kHeads, o.head, "output layer");
  flags.list("--hidden", "n,n", t.hidden, "widths of the mlp [128,128]");
  flags.integer("--width", o.width, "first width of resnet18, vgg16-small, unet-small; 0: 64, 32, 16");
  flags.text("--dropout", "X|auto", t.dropout,
             "dropout rate; auto: 0.5 for cnn and vgg16-small, otherwise 0 [auto]");
  flags.heading("Method");
  flags.choice("--method", train::kMethods, o.method, "training method, see below");
  flags.text("--strength", "X|auto", t.strength, "strength of the method, see below [auto]");
  flags.integer("--cape-every", o.cape_every, "calibrate every N epochs; 0: 3 with bins, 4 with the kernel");
  flags.integer("--cape-bins", o.cape_bins, "bins of cape-bin");
  flags.integer("--cape-neighbours", o.cape_neighbours, "nearest outputs of cape-kernel");
  flags.number("--cape-sigma", o.cape_sigma, "width of its kernel exp(-d^2/sigma^2)");
  flags.integer("--cape-epochs", o.cape_epochs, "epochs after the early-stopped model; 0: as --epochs");
  flags.number("--cape-lr", o.cape_lr, "their learning rate; 0: that of the early-stopped model");
  flags.toggle("--from-start", o.from_start, "CaPE from the first epoch on (an ablation)");
  flags.text("--start-from", "RUN", o.start_from, "CaPE from the model of this run");
  flags.integer("--ensemble", o.ensemble, "number of networks, each with its own seed");
  flags.list("--tune", "x,x", t.tune, "strengths to try; the one with the best validation log-loss is kept");
  flags.toggle("--intra-training", o.intra_training,
               "regression: sigma scaling after each epoch, in the history");
  flags.heading("Optimisation");
  flags.choice("--optimizer", train::kOptimizers, o.optimizer, "optimisation algorithm");
  flags.number("--lr", o.lr, "learning rate");
  flags.number("--momentum", o.momentum, "momentum of sgd");
  flags.number("--weight-decay", o.weight_decay, "L2 penalty");
  flags.integer("--batch", o.batch, "batch size");
  flags.integer("--epochs", o.epochs, "maximum number of epochs");
  flags.choice("--select", train::kSelections, o.select,
               "validation metric that chooses the epoch; mse: regression; brier, auroc: classification");
  flags.integer("--patience", o.patience,
                "stop after N epochs without a better validation metric (--select); 0: never");
  flags.integer("--warmup", o.warmup, "epochs of rising learning rate");
  flags.list("--milestones", "n,n", t.milestones, "epochs after which the learning rate is multiplied");
  flags.number("--milestone-factor", o.milestone_factor, "factor of the learning rate");
  flags.integer("--plateau", o.plateau,
                "epochs without improvement before the learning rate is reduced; 0: never");
  flags.number("--plateau-factor", o.plateau_factor, "factor of the learning rate");
  flags.heading("Augmentation of images");
  flags.toggle("--flip", o.flip, "mirror left to right at random");
  flags.integer("--shift", o.shift, "shift by up to N pixels");
  flags.number("--rotation", o.rotation, "rotate by up to X degrees");
  flags.heading("Running");
  flags.text("--out", "FOLDER", o.out, "the run folder");
  flags.text("--resume", "RUN", t.resume, "continue an interrupted run");
  flags.text("--grid", "FILE", t.grid,
             "JSON: {\"base\": {...}, \"vary\": {\"method\": [...], \"seed\": [...]}}");
  flags.integer("--jobs", t.jobs, "number of runs at a time");
  flags.seed("--seed", o.seed, "seed of weights, order, dropout and augmentation");
  flags.text("--data-seed", "N|auto", t.data_seed,
             "seed of the split and of drawn outcomes; auto: same as --seed [auto]");
  flags.choice("--device", train::kDevices, o.device, "auto: CUDA if available");
  flags.integer("--threads", o.threads, "number of threads; 0: all cores");
  flags.integer("--checkpoint-every", o.checkpoint_every, "epochs between checkpoints");
  flags.toggle("--quiet", o.quiet, "print no progress and no summary");
  flags.exclusive({"--resume", "--grid"});
  flags.exclusive({"--resume", "--data"});
  flags.exclusive({"--resume", "--out"});
  flags.examples(kTrainExamples);
}

train::TrainOptions train_options(const Flags& flags, TrainFlags t) {
  train::TrainOptions& o = t.options;
  between("--jobs", t.jobs, 1, 64);
  if (!t.resume.empty()) {
    const std::string path = t.resume + "/config.json";
    if (!std::filesystem::exists(path)) throw InputError("--resume: there is no run in " + t.resume);
    train::TrainOptions run = train::run_from_json(train::read_text(path), path);
    run.out = t.resume;
    run.device = o.device;
    run.threads = o.threads;
    run.checkpoint_every = o.checkpoint_every;
    run.quiet = o.quiet;
    if (const Args given = flags_that_define_a_run(flags); !given.empty())
      throw InputError(given.front() + " cannot be changed with --resume: a run keeps its options");
    check_options(run);
    return run;
  }
  if (!t.grid.empty()) {
    if (const Args given = flags_that_define_a_run(flags); !given.empty())
      refuse_beside_grid(given.front(), t.grid);
    if (flags.given("--data")) refuse_beside_grid("--data", t.grid);
  }
  if (t.dropout != "auto") o.dropout = parsed<double>("--dropout", t.dropout);
  if (t.strength != "auto") o.strength = parsed<double>("--strength", t.strength);
  if (t.data_seed != "auto") o.data_seed = parsed<std::uint64_t>("--data-seed", t.data_seed);
  if (!t.hidden.empty()) o.hidden = parsed_list<std::int64_t>("--hidden", t.hidden);
  o.milestones = parsed_list<std::int64_t>("--milestones", t.milestones);
  o.tune = parsed_list<double>("--tune", t.tune);
  o.normalize = !t.raw;
  check_options(o);
  if (o.out.empty()) throw InputError("--out is needed: the folder of the run");
  check_out(o.out);
  if (!t.grid.empty()) return o;
  if (flags.given("--jobs")) throw InputError("--jobs is for --grid; leave it out here");
  check_effect(flags, o);
  if (o.data.empty()) throw InputError("--data is needed: the folder to learn from");
  return o;
}

}  // namespace

bool parse_train_flags(const Args& args, TrainFlags& t) {
  Flags flags("train", "Trains a network with methods that aim at calibrated probabilities.");
  add_train_flags(flags, t);
  if (!flags.parse(args)) return false;
  t.options = train_options(flags, t);
  return true;
}

bool parse_predict_flags(const Args& args, train::PredictOptions& o) {
  Flags flags("predict", "Predictions of a trained run: MC dropout, test-time augmentation, ensembles.");
  Args run;
  std::string rate;
  flags.positional("RUN", run, "the folder of a finished run");
  flags.heading("Predictions");
  flags.text("--data", "FOLDER", o.data, "data folder, if not that of the run");
  flags.text("--split", "NAME", o.split,
             "train, validation, test or any other folder of the data [" + o.split + "]");
  flags.heading("Sampling");
  flags.toggle("--mc-dropout", o.mc_dropout, "keep dropout on");
  flags.text("--dropout-rate", "X", rate, "dropout rate of --mc-dropout [that of training]");
  flags.toggle("--tta", o.tta, "augment the inputs");
  flags.integer("--samples", o.samples, "number of passes of each network, only with --mc-dropout or --tta");
  flags.toggle("--flip", o.flip,
               "mirror left to right at random (with --tta; by default, augmentation is as in training)");
  flags.integer("--shift", o.shift, "shift by up to N pixels");
  flags.number("--rotation", o.rotation, "rotate by up to X degrees");
  flags.seed("--seed", o.seed, "seed of the passes");
  flags.heading("Running");
  flags.text(
      "-o,--out", "FOLDER|FILE", o.out,
      "a folder for samples.npy (S x N x K), probs.npy, sample_logits.npy, sample_features.npy (regression: mean, aleatoric, epistemic) and the labels; or the predictions as one .npy, .csv or .parquet");
  flags.choice("--device", train::kDevices, o.device, "auto: CUDA if available");
  flags.integer("--threads", o.threads, "number of threads; 0: all cores");
  flags.integer("--batch", o.batch, "batch size");
  flags.toggle("--quiet", o.quiet, "print no progress and no summary");
  flags.examples(kPredictExamples);
  if (!flags.parse(args)) return false;
  if (run.size() != 1) throw InputError("plumb predict takes the folder of one run");
  o.run = run.front();
  if (o.out.empty()) throw InputError("--out is needed: the folder or the file to write to");
  if (o.batch < 1) throw InputError("--batch must be at least 1");
  between("--samples", o.samples, 1, 100000);
  if (!rate.empty()) {
    if (!o.mc_dropout) throw InputError("--dropout-rate is the rate of --mc-dropout; give both");
    o.dropout_rate = parsed<double>("--dropout-rate", rate);
    if (!(*o.dropout_rate > 0 && *o.dropout_rate <= 0.99))
      throw InputError("--dropout-rate must be above 0 and at most 0.99, not " + rate);
  }
  between("--shift", o.shift, 0, 4096);
  if (!(o.rotation >= 0 && o.rotation <= 180))
    throw InputError("--rotation must be between 0 and 180, not " + show(o.rotation));
  check_out(train::is_one_file(o) ? std::filesystem::absolute(o.out).parent_path().string() : o.out);
  check_threads(o.threads);
  return true;
}

}  // namespace plumb::cli
