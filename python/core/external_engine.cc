#include "core/external_engine.h"

#include <fmt/format.h>

#include <vector>

#include "core/array.h"
#include "core/arrays_in.h"
#include "core/dicts.h"
#include "core/errors.h"

namespace changeaware::python {
namespace {

// A Python object that C++ owns and may let go of on any thread.
class Held {
 public:
  explicit Held(nb::object object) : object_(std::move(object)) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    if (!nb::is_alive()) {
      object_.release();  // the interpreter is gone, and the object with it
      return;
    }
    const nb::gil_scoped_acquire gil;
    object_.reset();
  }
  nb::handle get() const { return object_; }

 private:
  nb::object object_;
};

class PythonExecutable : public ExternalExecutable {
 public:
  PythonExecutable(const Callable& callable, nb::object call)
      : name_(callable.name), outputs_(callable.outputs), call_(std::move(call)) {}

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) const override {
    const nb::gil_scoped_acquire gil;
    try {
      nb::list arrays;
      for (const Tensor& input : inputs) arrays.append(to_python(input, Access::kReadOnly));
      return take_outputs(call_.get()(arrays), outputs).with_context(name_);
    } catch (nb::python_error& error) {
      return status_of(error, StatusCode::kInternal).with_context(name_);
    } catch (const std::exception& error) {
      return Status(StatusCode::kInternal, error.what()).with_context(name_);
    }
  }

 private:
  Status take_outputs(nb::handle returned, std::span<Tensor> outputs) const {
    const nb::list arrays = nb::list(nb::borrow(returned));
    if (arrays.size() != outputs.size()) {
      return Status(StatusCode::kInternal,
                    fmt::format("the external engine returned {} arrays; the callable has {}",
                                arrays.size(), outputs.size()));
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      uint64_t copied_bytes = 0;
      CA_ASSIGN_OR_RETURN(outputs[i],
                          read_array(arrays[i], fmt::format("output '{}'", outputs_[i].name),
                                     outputs_[i].dtype, copied_bytes));
    }
    return {};
  }

  std::string name_;
  std::vector<Port> outputs_;
  Held call_;
};

class PythonEngine : public ExternalEngine {
 public:
  explicit PythonEngine(nb::object engine) : engine_(std::move(engine)) {}

  Result<std::unique_ptr<ExternalExecutable>> load(const Callable& callable) const override {
    const nb::gil_scoped_acquire gil;
    try {
      nb::object loaded = engine_.get().attr("load")(to_value(callable.name));
      return std::unique_ptr<ExternalExecutable>(
          std::make_unique<PythonExecutable>(callable, std::move(loaded)));
    } catch (nb::python_error& error) {
      return status_of(error, StatusCode::kInternal).with_context(callable.name);
    } catch (const std::exception& error) {
      return Status(StatusCode::kInternal, error.what()).with_context(callable.name);
    }
  }

 private:
  Held engine_;
};

}  // namespace

std::shared_ptr<const ExternalEngine> make_external_engine(nb::handle engine) {
  if (engine.is_none()) return nullptr;
  return std::make_shared<PythonEngine>(nb::borrow(engine));
}

}  // namespace changeaware::python
