#include "bench/scenarios.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <stdexcept>

#include "bench/peer.h"

namespace changeaware::bench {
namespace {

std::unique_ptr<Peer> load_peer(const std::string& path, int threads) {
  return path.empty() ? nullptr : std::make_unique<Peer>(path, threads);
}

double largest_difference(const Response& ours, const std::vector<Tensor>& theirs) {
  if (ours.outputs.size() != theirs.size()) throw std::runtime_error("another number of outputs");
  double worst = 0;
  for (size_t i = 0; i < theirs.size(); ++i) {
    const Tensor& a = ours.outputs[i].tensor;
    if (a.shape() != theirs[i].shape() || a.dtype() != DType::kFloat32) {
      throw std::runtime_error("output '" + ours.outputs[i].name + "' of another kind");
    }
    for (int64_t k = 0; k < a.numel(); ++k) {
      const double d = std::abs(a.data_as<float>()[k] - theirs[i].data_as<float>()[k]);
      worst = d <= worst ? worst : d;  // a NaN counts as different
    }
  }
  return worst;
}

// Medians of the parts of our requests' time.
struct Parts {
  std::vector<double> engine, fingerprint, session;

  void add(const Report& report) {
    engine.push_back(report.engine_us);
    fingerprint.push_back(report.fingerprint_us);
    session.push_back(report.total_us - report.engine_us - report.fingerprint_us);
  }
  void drop_first(size_t n) {
    for (auto* part : {&engine, &fingerprint, &session}) {
      part->erase(part->begin(), part->begin() + static_cast<std::ptrdiff_t>(n));
    }
  }
};

class ModelRun {
 public:
  ModelRun(const ModelWork& model, const std::shared_ptr<const Package>& package, int threads)
      : model_(model),
        subject_(package, model.samples, {.threads = threads}),
        whole_(load_peer(model.whole, threads)),
        encoder_(load_peer(model.encoder, threads)),
        decoder_(load_peer(model.decoder, threads)) {
    subject_.run(false, false);
    if (encoder_ != nullptr) embed();
  }

  ScenarioResult run(const Scenario& scenario) {
    ScenarioResult out;
    out.model = model_.name;
    out.name = scenario.name;
    out.against = scenario.against;
    out.runs = scenario.runs;
    verify(scenario, out);
    Parts parts;
    const TimedRun ours = [&] {
      subject_.change(scenario.changed);
      const double time = subject_.run(scenario.full, scenario.tags);
      parts.add(subject_.response().report);
      return time;
    };
    if (scenario.against.empty()) {
      out.ours = summarize(measure(scenario.runs, scenario.warm_up, ours));
    } else {
      const PairedTimes times = measure_pairs(scenario.runs, scenario.warm_up, ours,
                                              [&] { return run_other(scenario.against); });
      out.ours = times.first;
      out.theirs = times.second;
      out.ratio = times.ratio;
    }
    parts.drop_first(scenario.warm_up);
    out.engine_us = quantile(parts.engine, 0.5);
    out.fingerprint_us = quantile(parts.fingerprint, 0.5);
    out.session_us = quantile(parts.session, 0.5);
    return out;
  }

 private:
  // The decoder's inputs other than ours are what the encoder gives, in its order.
  void embed() {
    encoder_->run(subject_.values());
    size_t next = 0;
    for (const std::string& name : decoder_->input_names()) {
      if (subject_.values().contains(name)) continue;
      embedding_[name] = encoder_->outputs().at(next++).clone();
    }
  }

  Peer* peer(const std::string& against) {
    if (against == "full" || against.empty()) return nullptr;
    Peer* found = against == "whole"     ? whole_.get()
                  : against == "decoder" ? decoder_.get()
                                         : nullptr;
    if (found == nullptr) throw std::runtime_error("no peer '" + against + "'");
    return found;
  }

  double run_other(const std::string& against) {
    Peer* const other = peer(against);
    if (other == nullptr) return subject_.run(true, false);
    std::map<std::string, Tensor> inputs = subject_.values();
    inputs.insert(embedding_.begin(), embedding_.end());
    return other->run(inputs);
  }

  // The same bits as a full run, and the same answer as the peer. The request before it makes the
  // inputs that do not change known, under their tags too.
  void verify(const Scenario& scenario, ScenarioResult& out) {
    subject_.run(false, scenario.tags);
    subject_.change(scenario.changed);
    subject_.run(scenario.full, scenario.tags);
    const Response answer = subject_.response();
    out.ran = answer.report.ran;
    out.reused = answer.report.reused;
    subject_.run(true, false);
    out.bits_equal = same_bits(answer, subject_.response());
    Peer* const other = peer(scenario.against);
    if (other == nullptr) return;
    run_other(scenario.against);
    out.difference = largest_difference(answer, other->outputs());
    if (!(out.difference <= model_.tolerance)) {
      throw std::runtime_error(scenario.name + ": the peer's answer differs by " +
                               std::to_string(out.difference));
    }
  }

  const ModelWork& model_;
  Subject subject_;
  std::unique_ptr<Peer> whole_, encoder_, decoder_;
  std::map<std::string, Tensor> embedding_;
};

}  // namespace

std::vector<ScenarioResult> run_scenarios(const ModelWork& model,
                                          const std::shared_ptr<const Package>& package,
                                          int threads) {
  ModelRun run(model, package, threads);
  std::vector<ScenarioResult> out;
  for (const Scenario& scenario : model.scenarios) out.push_back(run.run(scenario));
  return out;
}

}  // namespace changeaware::bench
