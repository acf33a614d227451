#include "train/history.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <set>

#include "plumb/data/check.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "plumb/numeric/narrow.hpp"
#include "train/losses/regression.hpp"
#include "train/tensors.hpp"

namespace plumb::train {
namespace {

using Json = nlohmann::ordered_json;

Json to_object(const Metrics& m) {
  Json j = Json::object();
  for (const auto& [key, value] : m) j[key] = value ? Json(*value) : Json(nullptr);
  return j;
}

Metrics from_object(const Json& j) {
  Metrics m;
  for (const auto& item : j.items())
    m[item.key()] = item.value().is_null() ? std::nullopt : std::optional<double>(item.value().get<double>());
  return m;
}

std::optional<double> finite(double x) { return std::isfinite(x) ? std::optional<double>(x) : std::nullopt; }

std::vector<std::int64_t> counts_of(const torch::Tensor& votes) {
  const torch::Tensor flat = votes.to(torch::kCPU, torch::kLong).contiguous();
  const auto* p = flat.data_ptr<std::int64_t>();
  return {p, p + flat.numel()};
}

}  // namespace

Metrics classification_metrics(Head head, const torch::Tensor& outputs, const torch::Tensor& votes,
                               const torch::Tensor& truth, int threads, bool auroc) {
  const torch::Tensor u = rows_of(outputs), y = rows_of(votes);
  // A diverged network has no metrics, and its epoch can never be the best.
  if (!torch::isfinite(u).all().item<bool>())
    return {{"nll", {}}, {"brier", {}}, {"ece", {}}, {"accuracy", {}}};
  const std::int64_t n = u.size(0), k = y.size(1);
  Items items;
  std::vector<std::int64_t> shape{n};
  if (head == Head::softmax) shape.push_back(k);
  items.predictions = Predictions({Rows(array_of(doubles_of(u), shape, "outputs"))}, Scale::logit);
  items.votes = Votes::from_counts(Rows(array_of(counts_of(y), {n, k}, "votes")), narrow<int>(k));
  EvaluateOptions options{
      .metrics = {"nll", "brier", "ece", "accuracy"}, .threads = threads, .consensus = false};
  if (auroc) options.metrics.emplace_back("auroc");
  const bool known = truth.defined() && k == 2 && truth.numel() == n;
  if (known) {
    items.truth = Rows(array_of(doubles_of(truth.reshape({-1})), {n}, "truth"));
    options.metrics.insert(options.metrics.end(), {"mse_p", "kl_p"});
  }
  Metrics m;
  const Result result = evaluate(items, options);
  for (const auto& [key, metric] : result.metrics) {
    // With true probabilities of 0 or 1 there is no kl_p.
    if (key != "kl_p" || metric.value) m[key] = metric.value;
  }
  return m;
}

Metrics regression_metrics(Head head, const torch::Tensor& outputs, const torch::Tensor& targets,
                           std::optional<double> scale) {
  const torch::Tensor y = targets.to(torch::kFloat64);
  const MeanVariance said = mean_variance(head, outputs);
  const torch::Tensor &mean = said.mean, &variance = said.variance;
  const torch::Tensor squared = (y - mean).square();
  // The factor of maximum likelihood: Laves 2021, eqs. 9 and 25 (b = sqrt(variance / 2)).
  const double own = head == Head::gaussian ? std::sqrt((squared / variance).mean().item<double>())
                                            : (squared / (variance / 2)).sqrt().mean().item<double>();
  const double s = scale.value_or(own);
  // Of the likelihood of the head with its spread times s: the Laplace scale is sqrt(variance / 2).
  const auto nll = [&](double factor) {
    const torch::Tensor v = variance * (factor * factor);
    if (head == Head::gaussian)
      return 0.5 * (std::log(2 * std::numbers::pi) + v.log() + squared / v).mean().item<double>();
    const torch::Tensor b = (v / 2).sqrt();
    return ((2 * b).log() + (y - mean).abs() / b).mean().item<double>();
  };
  return {{"nll", finite(nll(1))},
          {"mse", finite(squared.mean().item<double>())},
          {"variance", finite(variance.mean().item<double>())},
          {"sigma_scale", finite(s)},
          {"nll_scaled", finite(nll(s))}};
}

std::string history_json(const History& h) {
  Json rows = Json::array();
  for (const HistoryRow& r : h) {
    Json j{{"epoch", r.epoch},
           {"phase", r.phase},
           {"loss", r.loss},
           {"lr", r.lr},
           {"seconds", r.seconds},
           {"refresh_seconds", r.refresh_seconds},
           {"train_loss", finite(r.train_loss) ? Json(r.train_loss) : Json(nullptr)},
           {"best", r.best},
           {"train", to_object(r.train)},
           {"validation", to_object(r.validation)}};
    if (!r.test.empty()) j["test"] = to_object(r.test);
    rows.push_back(std::move(j));
  }
  return rows.dump(1) + "\n";
}

History parse_history(const std::string& text) {
  History h;
  for (const Json& j : Json::parse(text)) {
    HistoryRow r;
    r.epoch = j.at("epoch").get<std::int64_t>();
    r.phase = j.at("phase").get<std::string>();
    r.loss = j.at("loss").get<std::string>();
    r.lr = j.at("lr").get<double>();
    r.seconds = j.at("seconds").get<double>();
    r.refresh_seconds = j.value("refresh_seconds", 0.0);
    r.train_loss = j.at("train_loss").is_null() ? std::nan("") : j.at("train_loss").get<double>();
    r.best = j.at("best").get<bool>();
    r.train = from_object(j.at("train"));
    r.validation = from_object(j.at("validation"));
    if (j.contains("test")) r.test = from_object(j.at("test"));
    h.push_back(std::move(r));
  }
  return h;
}

std::string history_csv(const History& h) {
  std::set<std::string> train, validation, test;
  for (const HistoryRow& r : h) {
    for (const auto& [key, value] : r.train) train.insert(key);
    for (const auto& [key, value] : r.validation) validation.insert(key);
    for (const auto& [key, value] : r.test) test.insert(key);
  }
  std::string out = "epoch,phase,loss,lr,seconds,refresh_seconds,best,train_loss";
  for (const auto& key : train) out += ",train_" + key;
  for (const auto& key : validation) out += ",validation_" + key;
  for (const auto& key : test) out += ",test_" + key;
  out += "\n";
  const auto cell = [](const Metrics& m, const std::string& key) {
    const auto at = m.find(key);
    return at == m.end() || !at->second ? std::string(",") : "," + show(*at->second);
  };
  for (const HistoryRow& r : h) {
    out += std::to_string(r.epoch) + "," + r.phase + "," + r.loss + "," + show(r.lr) + "," + show(r.seconds) +
           "," + show(r.refresh_seconds) + "," + (r.best ? "1" : "0") + "," +
           (finite(r.train_loss) ? show(r.train_loss) : "");
    for (const auto& key : train) out += cell(r.train, key);
    for (const auto& key : validation) out += cell(r.validation, key);
    for (const auto& key : test) out += cell(r.test, key);
    out += "\n";
  }
  return out;
}

}  // namespace plumb::train
