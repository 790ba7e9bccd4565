// PrintsInUse: fingerprints of the memory that requests in progress read.
//
// A caller leaves an input alone until its request has ended (changeaware/session.h). So as long as
// one request holds a block of memory, what was found of it is true for every other request that
// brings the same block: many clients of one image read its bytes once, not once each.
// Thread safety: every method may be called concurrently.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/versions.h"

namespace changeaware {

class PrintsInUse {
  struct Entry;

 public:
  // Held by a request until it ends. Must not outlive the PrintsInUse.
  class Use {
   public:
    Use() = default;
    Use(Use&& other) noexcept { *this = std::move(other); }
    Use& operator=(Use&& other) noexcept {
      std::swap(owner_, other.owner_);
      std::swap(entry_, other.entry_);
      return *this;
    }
    ~Use() {
      if (owner_ != nullptr) owner_->leave(entry_);
    }

   private:
    friend class PrintsInUse;
    Use(PrintsInUse* owner, std::list<Entry>::iterator entry) : owner_(owner), entry_(entry) {}
    PrintsInUse* owner_ = nullptr;
    std::list<Entry>::iterator entry_;
  };

  using Compute = std::function<Result<Fingerprint>()>;
  // The fingerprint of `tensor` as program input number `input`: compute()'s, or that of a request
  // in progress which brings the same memory; waits where that one is at it. `use` is to be held
  // until the request ends. Errors: compute()'s own.
  Result<Fingerprint> get(size_t input, const Tensor& tensor, const Compute& compute, Use& use);

  size_t size() const;

 private:
  struct Entry {
    size_t input;
    Tensor tensor;
    size_t uses = 0;
    bool is_busy = false;  // somebody computes `print`
    std::optional<Fingerprint> print;
  };

  std::list<Entry>::iterator find(size_t input, const Tensor& tensor);
  void leave(std::list<Entry>::iterator entry);

  mutable std::mutex mutex_;
  std::condition_variable done_;
  std::list<Entry> entries_;  // few: large inputs of requests in progress
};

}  // namespace changeaware
