// Many clients of one session.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <stdexcept>
#include <thread>

#include "bench/memory_scenarios.h"
#include "bench/pairs.h"
#include "bench/subject.h"

namespace changeaware::bench {
namespace {

constexpr size_t kRounds = 9;
constexpr size_t kRequestsOfAClient = 4;

// A session, its sample request, and the one input that differs from request to request.
class Clients {
 public:
  explicit Clients(const MemoryWork& work) {
    const auto package = open_package(work.subject.package);
    auto session =
        Session::create(package, {.threads = work.threads, .blob_folder = work.cache_folder});
    if (!session.ok()) throw std::runtime_error(session.status().to_string());
    session_ = *std::move(session);
    const auto& requests = work.subject.traces.at(0).requests;
    for (const Sample& sample : work.subject.samples) {
      request_.inputs[sample.name] = sample.value;
      if (varied_ == nullptr && requests[0].at(sample.name) != requests[1].at(sample.name)) {
        varied_ = &sample;
      }
    }
    if (varied_ == nullptr) throw std::runtime_error("the trace changes nothing");
    for (const Callable& c : package->manifest().callables) {
      if (!c.dependencies.empty() && depends_on_others_alone(c)) stable_.insert(c.name);
    }
    // Loads everything; what stays is retained from here on.
    value_or_throw(session_->run(request(next_step_++)));
  }

  // Microseconds until `clients` threads have had all their requests answered.
  double serve(size_t clients, size_t requests_of_each) {
    std::atomic<size_t> failed = 0;
    const size_t first = next_step_;
    next_step_ += clients * requests_of_each;
    const auto start = std::chrono::steady_clock::now();
    {
      std::vector<std::jthread> threads;
      for (size_t c = 0; c < clients; ++c) {
        threads.emplace_back([&, c] {
          for (size_t i = 0; i < requests_of_each; ++i) {
            if (!session_->run(request(first + c * requests_of_each + i)).ok()) ++failed;
          }
        });
      }
    }
    const auto end = std::chrono::steady_clock::now();
    if (failed > 0) throw std::runtime_error("a client's request failed");
    return std::chrono::duration<double, std::micro>(end - start).count();
  }

  // Whether `clients` at once get the bits that full runs give, one after another.
  bool answers_are_right(size_t clients) {
    std::vector<Response> answers(clients);
    const size_t first = next_step_;
    next_step_ += clients;
    {
      std::vector<std::jthread> threads;
      for (size_t c = 0; c < clients; ++c) {
        threads.emplace_back([&, c] {
          if (auto response = session_->run(request(first + c)); response.ok())
            answers[c] = *std::move(response);
        });
      }
    }
    for (size_t c = 0; c < clients; ++c) {
      Request full = request(first + c);
      full.reuse = false;
      if (!same_bits(answers[c], value_or_throw(session_->run(full)))) return false;
    }
    return true;
  }

  // The most often that a callable which reads nothing that changes has run.
  uint64_t runs_of_what_stays() const {
    uint64_t most = 0;
    for (const auto& [name, runs] : session_->stats().runs) {
      if (stable_.contains(name)) most = std::max(most, runs);
    }
    return most;
  }

 private:
  bool depends_on_others_alone(const Callable& c) const {
    return std::find(c.dependencies.begin(), c.dependencies.end(), varied_->name) ==
           c.dependencies.end();
  }

  Request request(size_t step) const {
    Request out = request_;
    out.inputs[varied_->name] = vary(*varied_, step);
    return out;
  }

  std::unique_ptr<Session> session_;
  Request request_;
  const Sample* varied_ = nullptr;
  std::set<std::string> stable_;  // callables that do not depend on it
  size_t next_step_ = 1;
};

}  // namespace

Facts measure_clients(const MemoryWork& work) {
  Clients clients(work);
  const size_t many = work.number;
  const size_t requests = many * kRequestsOfAClient;
  const PairedTimes times = measure_pairs(
      kRounds, 1, [&] { return clients.serve(1, requests); },
      [&] { return clients.serve(many, kRequestsOfAClient); });
  Facts facts;
  facts.add("clients", many);
  facts.add("requests", requests);
  facts.add("one_us", times.first.p50_us);
  facts.add("many_us", times.second.p50_us);
  facts.add("throughput_ratio", times.ratio);
  facts.add("runs_of_what_stays", clients.runs_of_what_stays());
  facts.add("bits_equal", clients.answers_are_right(many));
  return facts;
}

}  // namespace changeaware::bench
