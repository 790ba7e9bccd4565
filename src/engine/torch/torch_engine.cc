#include "engine/torch/torch_engine.h"

#include <exception>
#include <utility>

#include "base/errors.h"
#include "engine/torch/executable.h"
#include "engine/torch/plugin_library.h"

namespace changeaware {
namespace {

class TorchEngine final : public Engine {
 public:
  TorchEngine(torch::Plugin plugin, int threads) : plugin_(std::move(plugin)), threads_(threads) {}

  EngineInfo info() const override { return {"torch", plugin_.torch_version}; }

  Result<std::unique_ptr<Executable>> compile(const Graph& graph) const override {
    return torch::TorchExecutable::make(plugin_, threads_, graph);
  }

 private:
  torch::Plugin plugin_;
  int threads_;
};

}  // namespace

Result<std::unique_ptr<Engine>> make_torch_engine(int threads, const ExactEngineOptions& options) {
  if (threads < 0) return invalid_argument("threads must not be negative");
  CA_ASSIGN_OR_RETURN(torch::Plugin plugin, torch::load_plugin(options));
  const int used = threads > 0 ? threads : plugin.functions->default_threads();
  return std::unique_ptr<Engine>(new TorchEngine(std::move(plugin), used));
}

Result<std::string> torch_op_schema(std::string_view name, const ExactEngineOptions& options) {
  CA_ASSIGN_OR_RETURN(const torch::Plugin plugin, torch::load_plugin(options));
  std::string text(1 << 16, '\0');
  CaTorchMessage message{};
  const int32_t code =
      plugin.functions->schema_of(std::string(name).c_str(), text.data(), text.size(), &message);
  CA_RETURN_IF_ERROR(torch::to_status(code, message));
  text.resize(text.find('\0'));
  // "mine::twice(Tensor x) -> Tensor": the name is known.
  const size_t begin = text.find('(');
  return begin == std::string::npos ? std::string() : text.substr(begin);
}

std::function<Result<std::string>(const std::string&)> torch_op_schemas(
    const ExactEngineOptions& options) {
  return [options](const std::string& name) { return torch_op_schema(name, options); };
}

}  // namespace changeaware
