// sequence: pieces that run one after the other, as one executable.
// Thread safety: as Executable.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/torch/ports.h"

namespace changeaware::mixed {

// Where a value is found while the pieces run.
struct Source {
  enum class Kind : uint8_t { kInput, kSlot, kConstant } kind = Kind::kInput;
  size_t index = 0;  // input of the region, or slot
  Tensor constant;
};

// Something that a piece computes and that another piece, or the caller, wants.
struct Slot {
  std::string name;
  int output = -1;       // first output of the region that it is; -1 = none
  size_t last_step = 0;  // that reads it
};

struct Step {
  std::unique_ptr<Executable> executable;
  std::vector<Source> inputs;
  // Inputs whose integers must be in the range of the engine that runs the step.
  std::vector<size_t> checked;
  std::vector<size_t> slots;  // one per output of the executable
};

struct SequenceParts {
  std::vector<torch::Port> inputs;
  std::vector<Step> steps;
  std::vector<Slot> slots;
  std::vector<Source> outputs;  // one per output of the region
  std::vector<std::string> output_names;
};

std::unique_ptr<Executable> make_sequence(SequenceParts parts);

}  // namespace changeaware::mixed
