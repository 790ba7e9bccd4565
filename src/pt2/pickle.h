// A restricted unpickler: reads the pickles that torch.save writes for tensors in containers.
//
// Nothing is executed: a pickle can only build the values below. Accepted: protocol 2; None,
// booleans, numbers, strings, tuples, lists, dictionaries, collections.OrderedDict, and
// torch._utils._rebuild_tensor_v2 over storages of the archive. Everything else is refused by name.
// Format: CPython's pickletools; torch/serialization.py and torch/_utils.py.
// Errors: Corrupt (damaged), Unsupported (something that is not accepted, by name; limits).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "changeaware/tensor.h"

namespace changeaware {

struct PickleValue {
  enum class Kind : uint8_t {
    kNone,
    kBool,
    kInt,
    kFloat,
    kString,
    kTensor,
    kTuple,
    kList,
    kDict,
    kGlobal,   // text = "module name"; only inside a pickle
    kStorage,  // only inside a pickle
  };
  Kind kind = Kind::kNone;
  int64_t number = 0;  // kBool, kInt
  double real = 0;     // kFloat
  std::string text;    // kString, kGlobal
  Tensor tensor;       // kTensor; kStorage: all of it, one-dimensional
  // Elements; of a dictionary key, value, key, value, … Not owned.
  std::vector<const PickleValue*> items;
};

// The values of one pickle and its result.
class Pickle {
 public:
  // `load_storage` finds the bytes of a storage by its key ("0").
  using LoadStorage = std::function<Result<std::shared_ptr<Storage>>(const std::string& key)>;
  static Result<Pickle> load(std::span<const std::byte> bytes, const LoadStorage& load_storage);

  // Valid while this lives.
  const PickleValue& root() const { return *root_; }

 private:
  friend class Unpickler;
  std::vector<std::unique_ptr<PickleValue>> values_;
  const PickleValue* root_ = nullptr;
};

}  // namespace changeaware
