#include "engine/mixed/sequence.h"

#include <utility>

#include "base/errors.h"
#include "engine/mixed/body.h"
#include "engine/value_check.h"

namespace changeaware::mixed {
namespace {

class Sequence final : public Executable {
 public:
  explicit Sequence(SequenceParts parts)
      : parts_(std::move(parts)), released_(parts_.steps.size()) {
    for (size_t s = 0; s < parts_.slots.size(); ++s) {
      if (parts_.slots[s].output < 0) released_[parts_.slots[s].last_step].push_back(s);
    }
  }

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) const override {
    CA_RETURN_IF_ERROR(torch::check_inputs(parts_.inputs, inputs));
    if (outputs.size() != parts_.outputs.size()) {
      return invalid_argument("{} outputs given, {} expected", outputs.size(),
                              parts_.outputs.size());
    }
    std::vector<Tensor> slots(parts_.slots.size());
    for (size_t s = 0; s < slots.size(); ++s) {
      const int output = parts_.slots[s].output;
      if (output >= 0) slots[s] = outputs[static_cast<size_t>(output)];
    }
    for (size_t i = 0; i < parts_.steps.size(); ++i) {
      CA_RETURN_IF_ERROR(run_step(parts_.steps[i], inputs, slots));
      for (size_t s : released_[i]) slots[s] = {};
    }
    return hand_over(inputs, slots, outputs);
  }

 private:
  static const Tensor& tensor_of(const Source& source, std::span<const Tensor> inputs,
                                 const std::vector<Tensor>& slots) {
    switch (source.kind) {
      case Source::Kind::kInput: return inputs[source.index];
      case Source::Kind::kSlot: return slots[source.index];
      case Source::Kind::kConstant: break;
    }
    return source.constant;
  }

  std::string name_of(const Source& source) const {
    return source.kind == Source::Kind::kInput ? parts_.inputs[source.index].name
                                               : parts_.slots[source.index].name;
  }

  Status run_step(const Step& step, std::span<const Tensor> inputs,
                  std::vector<Tensor>& slots) const {
    std::vector<Tensor> given, results;
    for (const Source& source : step.inputs) given.push_back(tensor_of(source, inputs, slots));
    for (size_t i : step.checked) {
      if (has_fast_values(given[i])) continue;
      return unsupported("'{}' holds {}", name_of(step.inputs[i]),
                         value_check(given[i].dtype()).what);
    }
    for (size_t s : step.slots) results.push_back(std::move(slots[s]));
    CA_RETURN_IF_ERROR(step.executable->run(given, results));
    for (size_t i = 0; i < results.size(); ++i) slots[step.slots[i]] = std::move(results[i]);
    return {};
  }

  Status hand_over(std::span<const Tensor> inputs, std::vector<Tensor>& slots,
                   std::span<Tensor> outputs) const {
    for (const Slot& slot : parts_.slots) {
      const auto s = static_cast<size_t>(&slot - parts_.slots.data());
      if (slot.output >= 0) outputs[static_cast<size_t>(slot.output)] = slots[s];
    }
    for (size_t o = 0; o < outputs.size(); ++o) {
      const Source& source = parts_.outputs[o];
      const bool first = source.kind == Source::Kind::kSlot &&
                         parts_.slots[source.index].output == static_cast<int>(o);
      if (first) continue;
      CA_RETURN_IF_ERROR(
          copy_to_output(tensor_of(source, inputs, slots), parts_.output_names[o], outputs[o]));
    }
    return {};
  }

  SequenceParts parts_;
  std::vector<std::vector<size_t>> released_;  // per step: slots that nobody reads after it
};

}  // namespace

std::unique_ptr<Executable> make_sequence(SequenceParts parts) {
  return std::make_unique<Sequence>(std::move(parts));
}

}  // namespace changeaware::mixed
