#include "runtime/external_callable.h"

#include <algorithm>
#include <utility>

#include "base/errors.h"

namespace changeaware {
namespace {

// A symbolic dimension fits any size: what it must be depends on inputs that were checked.
bool fits(const Port& port, const Tensor& tensor) {
  const Shape& shape = tensor.shape();
  if (tensor.dtype() != port.dtype || shape.size() != port.shape.size()) return false;
  for (size_t i = 0; i < shape.size(); ++i) {
    const std::string& size = port.shape[i];
    const bool is_number = size.find_first_not_of("0123456789") == std::string::npos;
    if (is_number && size != std::to_string(shape[i])) return false;
  }
  return true;
}

class ExternalCallable : public Executable {
 public:
  ExternalCallable(std::unique_ptr<ExternalExecutable> executable, const Callable& callable)
      : executable_(std::move(executable)), callable_(callable) {}

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) const override {
    CA_RETURN_IF_ERROR(executable_->run(inputs, outputs));
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Port& port = callable_.outputs[i];
      if (!outputs[i].defined())
        return internal_error("the external engine gave no output '{}'", port.name);
      if (!fits(port, outputs[i])) {
        return internal_error("the external engine gave {} {} as output '{}', which is {} [{}]",
                              dtype_name(outputs[i].dtype()), shape_to_string(outputs[i].shape()),
                              port.name, dtype_name(port.dtype), fmt::join(port.shape, ", "));
      }
      outputs[i] = outputs[i].contiguous();
    }
    return {};
  }

 private:
  const std::unique_ptr<ExternalExecutable> executable_;
  const Callable& callable_;
};

}  // namespace

Result<std::unique_ptr<Executable>> load_external(const ExternalEngine& engine,
                                                  const Callable& callable) {
  if (!callable.assertions.empty()) {
    return unsupported("an external engine reports no assertions, and it decides \"{}\"",
                       callable.assertions[0]);
  }
  CA_ASSIGN_OR_RETURN(auto executable, engine.load(callable));
  if (executable == nullptr) return internal_error("the external engine gave nothing to run");
  return std::unique_ptr<Executable>(
      std::make_unique<ExternalCallable>(std::move(executable), callable));
}

}  // namespace changeaware
