#include "bench/memory_scenarios.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "bench/memory.h"
#include "bench/peer.h"
#include "bench/subject.h"

namespace changeaware::bench {
namespace {

using Requests = std::vector<std::map<std::string, size_t>>;

const Requests& requests_of(const MemoryWork& work) { return work.subject.traces.at(0).requests; }

SessionOptions options(const MemoryWork& work) {
  return {.threads = work.threads, .blob_folder = work.cache_folder};
}

// Where what is measured is not what a session retains, it may retain little.
SessionOptions options_retaining_little(const MemoryWork& work) {
  SessionOptions out = options(work);
  out.retained_budget_bytes = uint64_t{1} << 20;
  return out;
}

void ask(Subject& subject, const std::map<std::string, size_t>& steps) {
  for (const auto& [input, step] : steps) subject.set(input, step);
  subject.run(false, false);
}

void ask_all(Subject& subject, const Requests& requests) {
  for (const auto& steps : requests) ask(subject, steps);
}

// Resident bytes after a small package has run once; the peak counts from here.
uint64_t take_baseline(const MemoryWork& work) {
  {
    Subject subject(open_package(work.small.package), work.small.samples, options(work));
    subject.run(false, false);
  }
  reset_peak();
  return resident_bytes();
}

void add_stats(Facts& facts, const SessionStats& stats) {
  facts.add("resident_bytes_counted", stats.resident_bytes);
  facts.add("resident_bytes_counted_peak", stats.resident_bytes_peak);
  facts.add("retained_bytes_peak", stats.retained_bytes_peak);
  facts.add("loads", stats.loads);
  facts.add("unloads", stats.unloads);
  facts.add("blobs_used", stats.blobs_used);
}

// Whether full runs give the same bits.
bool answers_are_right(const MemoryWork& work, const std::shared_ptr<const Package>& package,
                       const std::vector<Response>& answers) {
  Subject reference(package, work.subject.samples, options(work));
  for (size_t i = 0; i < answers.size(); ++i) {
    for (const auto& [input, step] : requests_of(work)[i]) reference.set(input, step);
    reference.run(true, false);
    if (!same_bits(answers[i], reference.response())) return false;
  }
  return true;
}

}  // namespace

Facts measure_trace(const MemoryWork& work) {
  Facts facts;
  Subject subject(open_package(work.subject.package), work.subject.samples, options(work));
  facts.add("loaded_bytes", resident_bytes());
  ask_all(subject, requests_of(work));
  facts.add("requests", requests_of(work).size());
  facts.add("peak_bytes", peak_resident_bytes());
  facts.add("resident_bytes", resident_bytes());
  facts.add("anonymous_bytes", anonymous_bytes());
  add_stats(facts, subject.stats());
  return facts;
}

Facts measure_sessions(const MemoryWork& work) {
  const auto package = open_package(work.subject.package);
  // What is asked is the caller's: made once for all sessions.
  std::vector<Request> requests;
  for (const auto& steps : requests_of(work)) {
    Request& request = requests.emplace_back();
    for (const Sample& sample : work.subject.samples) {
      request.inputs[sample.name] = vary(sample, steps.at(sample.name));
    }
  }
  std::vector<std::unique_ptr<Session>> sessions;
  std::vector<double> resident;
  for (uint64_t i = 0; i < work.number; ++i) {
    sessions.push_back(value_or_throw(Session::create(package, options_retaining_little(work))));
    for (const Request& request : requests) value_or_throw(sessions.back()->run(request));
    resident.push_back(static_cast<double>(resident_bytes()));
  }
  Facts facts;
  facts.add("resident_bytes", resident);
  facts.add("peak_bytes", peak_resident_bytes());
  return facts;
}

Facts measure_resident_budget(const MemoryWork& work) {
  Facts facts;
  const uint64_t baseline = take_baseline(work);
  const auto package = open_package(work.subject.package);
  std::vector<Response> answers;
  {
    SessionOptions limited = options_retaining_little(work);
    limited.resident_budget_bytes = work.number;
    Subject subject(package, work.subject.samples, limited);
    std::vector<double> peaks{static_cast<double>(peak_resident_bytes())};  // of making it
    for (const auto& steps : requests_of(work)) {
      reset_peak();
      ask(subject, steps);
      answers.push_back(subject.response());
      peaks.push_back(static_cast<double>(peak_resident_bytes()));
    }
    facts.add("peaks", peaks);
    facts.add("peak_bytes", *std::max_element(peaks.begin(), peaks.end()));
    add_stats(facts, subject.stats());
  }
  facts.add("baseline_bytes", baseline);
  facts.add("budget_bytes", work.number);
  facts.add("bits_equal", answers_are_right(work, package, answers));
  return facts;
}

Facts measure_rounds(const MemoryWork& work) {
  Facts facts;
  facts.add("baseline_bytes", take_baseline(work));
  std::vector<double> resident;
  for (uint64_t round = 0; round < work.number; ++round) {
    {
      Subject subject(open_package(work.subject.package), work.subject.samples, options(work));
      ask_all(subject, requests_of(work));
    }
    resident.push_back(static_cast<double>(resident_bytes()));
  }
  facts.add("resident_bytes", resident);
  facts.add("anonymous_bytes", anonymous_bytes());
  return facts;
}

Facts measure_start(const MemoryWork& work) {
  Request request;
  for (const Sample& sample : work.subject.samples) request.inputs[sample.name] = sample.value;
  request.want = {work.want};
  const auto start = std::chrono::steady_clock::now();
  const auto package = open_package(work.subject.package);
  const auto session = value_or_throw(Session::create(package, options(work)));
  const Response response = value_or_throw(session->run(request));
  const auto end = std::chrono::steady_clock::now();
  Facts facts;
  facts.add("answer_us", std::chrono::duration<double, std::micro>(end - start).count());
  facts.add("engine_us", response.report.engine_us);  // of that
  add_stats(facts, session->stats());
  return facts;
}

Facts measure_peer_start(const MemoryWork& work) {
  std::vector<Tensor> inputs;
  for (const Sample& sample : work.subject.samples) inputs.push_back(sample.value);
  const PeerStart start =
      start_peer(work.subject.whole, work.threads, work.cache_folder, work.number == 1, inputs);
  Facts facts;
  facts.add("ready_us", start.ready_us);
  facts.add("answer_us", start.answer_us);
  facts.add("used_cache", start.used_cache);
  return facts;
}

}  // namespace changeaware::bench
