// What a training run is made of: one plain struct, the same from the command line, from config.json and in
// tests. The only place for defaults. No LibTorch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plumb::train {

// What options take by name, in the order of the help.
inline const std::vector<std::string> kFormats{"auto", "arrays", "images", "mnist", "cifar10", "utkface"},
    kTargetKinds{"auto", "labels", "counts", "ratings", "targets"},
    kScenarioNames{"none", "linear", "sigmoid", "skewed", "centered", "discrete"},
    kModels{"linear", "mlp", "cnn", "resnet18", "vgg16-small", "unet-small"},
    kHeads{"auto", "softmax", "sigmoid", "gaussian", "laplace"},
    kMethods{"ce",   "cape-bin",        "cape-kernel", "focal",       "entropy",
             "mmce", "label-smoothing", "mixup",       "ce-resampled"},
    kSelections{"nll", "mse", "brier", "auroc"}, kOptimizers{"sgd", "adam"}, kDevices{"auto", "cpu", "cuda"};

struct TrainOptions {
  // Data: a folder with train/, validation/ and test/ (see docs/train.md), or a known format.
  std::string data;
  std::string format = "auto";    ///< auto, arrays, images, mnist, cifar10, utkface
  std::string targets = "auto";   ///< auto, labels, counts, ratings, targets
  double validation_share = 0.2;  ///< cut from train/ when there is no validation/
  std::int64_t train_items = 0;   ///< use only the first items of train/; 0: all
  std::int64_t image_size = 0;    ///< resize images of a folder to this side; 0: as they are
  std::string scenario = "none";  ///< UTKFace: the risk by age (simulate/scenarios.hpp); none: the age itself
  bool normalize = true;          ///< subtract mean and divide by deviation of the training set, per channel

  // Model.
  std::string model = "mlp";                      ///< linear, mlp, cnn, resnet18, vgg16-small, unet-small
  std::string head = "auto";                      ///< auto, softmax, sigmoid, gaussian, laplace
  std::vector<std::int64_t> hidden = {128, 128};  ///< of the mlp
  std::int64_t width = 0;         ///< first width of resnet18, vgg16-small, unet-small; 0: the usual
  std::optional<double> dropout;  ///< none: the model's own (cnn, vgg16-small 0.5, otherwise 0)

  // Method.
  std::string method = "ce";
  std::optional<double> strength;      ///< none: see strength_of()
  std::int64_t cape_every = 0;         ///< m of Algorithm 1; 0: 3 with bins, 4 with the kernel
  std::int64_t cape_bins = 5;          ///< B
  std::int64_t cape_neighbours = 200;  ///< r
  double cape_sigma = 0.0707;          ///< of exp(-(p - q)^2 / sigma^2)
  std::int64_t cape_epochs = 0;        ///< limit after the early-stopped model; 0: as `epochs`
  double cape_lr = 0;                  ///< 0: the rate at which the starting model was reached
  bool from_start = false;             ///< CaPE without early learning first (Liu 2022, Table 12)
  std::string start_from;              ///< CaPE from the model of this run instead of its own early stop

  // Optimiser.
  std::string optimizer = "sgd";  ///< sgd, adam
  double lr = 0.01, momentum = 0.9, weight_decay = 5e-4;
  std::int64_t batch = 128, epochs = 100;
  std::string select = "nll";  ///< nll, mse, brier, auroc: the validation metric that chooses the epoch
  std::int64_t patience = 10;  ///< epochs without a better one; 0: never stop early
  std::int64_t warmup = 0;     ///< epochs of linear warm-up
  std::vector<std::int64_t> milestones;  ///< epochs after which the rate is multiplied by milestone_factor
  double milestone_factor = 0.1;
  std::int64_t plateau = 0;  ///< epochs without improvement before the rate is cut; 0: never
  double plateau_factor = 0.5;

  // Augmentation of training images.
  bool flip = false;
  std::int64_t shift = 0;  ///< pixels, either way
  double rotation = 0;     ///< degrees, either way

  std::uint64_t seed = 0;
  std::optional<std::uint64_t> data_seed;  ///< of cuts into parts and drawn labels; none: as `seed`
  std::int64_t ensemble = 1;
  std::vector<double> tune;  ///< strengths to try; the best validation log-loss is kept
  /// regression: sigma scaling on validation after each epoch (Laves 2021, Fig. 4)
  bool intra_training = false;

  // Execution; these do not define the run.
  std::string device = "auto";  ///< auto, cpu, cuda
  std::int64_t threads = 0, checkpoint_every = 1;
  std::string out;
  bool quiet = false;
};

struct PredictOptions {
  std::string run;
  std::string data;  ///< "": the data of the run
  std::string split = "test";
  std::int64_t samples = 20;  ///< stochastic passes, each
  bool mc_dropout = false, tta = false;
  std::optional<double> dropout_rate;  ///< of mc_dropout; none: that of training
  bool flip = false;                   ///< of test-time augmentation; none given: those of training
  std::int64_t shift = 0;
  double rotation = 0;
  std::uint64_t seed = 0;
  std::string device = "auto";
  std::int64_t threads = 0, batch = 512;
  std::string out;  ///< a folder, or one file by its suffix
  bool quiet = false;
};
/// Whether the predictions are asked for as one file: .npy, .csv, .tsv, .parquet, .arrow or .feather.
[[nodiscard]] bool is_one_file(const PredictOptions& o);

/// As given, otherwise focal 2, entropy 1, mmce 3, label-smoothing 0.05, mixup 0.2; cape-*: 0, which
/// alternates the losses (Algorithm 1), while w > 0 minimises (1 - w) L_D + w L_C in every epoch.
[[nodiscard]] double strength_of(const TrainOptions& o);
[[nodiscard]] bool is_cape(const std::string& method);
[[nodiscard]] std::int64_t cape_every_of(const TrainOptions& o);
[[nodiscard]] std::uint64_t data_seed_of(const TrainOptions& o);

/// Every number in its range, every name known; InputError otherwise.
void check_options(const TrainOptions& o);

/// config.json: every option that affects a number (not device, threads, out, quiet).
[[nodiscard]] std::string to_json(const TrainOptions& o);
/// Missing keys keep the value in `start`; an unknown key is an InputError that names the nearest known one.
[[nodiscard]] TrainOptions from_json(const std::string& text, const std::string& name,
                                     TrainOptions start = {});
[[nodiscard]] std::string read_text(const std::string& path);  ///< InputError when it cannot be read
/// The config.json of a run, which names its data.
[[nodiscard]] TrainOptions run_from_json(const std::string& text, const std::string& path);

}  // namespace plumb::train
