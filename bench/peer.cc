#include "bench/peer.h"

#include <chrono>
#include <stdexcept>

namespace changeaware::bench {
namespace {

ov::element::Type element_type(DType dtype) {
  switch (dtype) {
    case DType::kFloat32: return ov::element::f32;
    case DType::kInt64: return ov::element::i64;
    case DType::kInt32: return ov::element::i32;
    default: throw std::runtime_error("no peer has " + std::string(dtype_name(dtype)) + " inputs");
  }
}

DType dtype_of(ov::element::Type type) {
  if (type == ov::element::f32) return DType::kFloat32;
  if (type == ov::element::i64) return DType::kInt64;
  throw std::runtime_error("no peer has outputs of type " + type.get_type_name());
}

ov::Tensor wrap(const Tensor& t) {
  return {element_type(t.dtype()), ov::Shape(t.shape().begin(), t.shape().end()), t.mutable_data()};
}

// The same settings as ours.
ov::AnyMap properties(int threads) {
  return {ov::hint::inference_precision(ov::element::f32),
          ov::hint::performance_mode(ov::hint::PerformanceMode::LATENCY), ov::num_streams(1),
          ov::inference_num_threads(threads)};
}

double microseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace

Peer::Peer(const std::string& path, int threads) {
  static ov::Core core;
  const auto model = core.read_model(path);
  // Compiling adds names of other tensors to these.
  for (const auto& port : model->inputs()) input_names_.push_back(port.get_any_name());
  model_ = core.compile_model(model, "CPU", properties(threads));
  request_ = model_.create_infer_request();
  for (const auto& port : model_.outputs()) {
    const ov::Shape& shape = port.get_shape();
    outputs_.push_back(
        Tensor::empty(dtype_of(port.get_element_type()), Shape(shape.begin(), shape.end())));
    request_.set_tensor(port, wrap(outputs_.back()));
  }
}

double Peer::run(const std::map<std::string, Tensor>& inputs) {
  const auto start = std::chrono::steady_clock::now();
  for (size_t i = 0; i < input_names_.size(); ++i) {
    request_.set_input_tensor(i, wrap(inputs.at(input_names_[i])));
  }
  request_.infer();
  return microseconds_since(start);
}

PeerStart start_peer(const std::string& path, int threads, const std::string& cache_folder,
                     bool reads, const std::vector<Tensor>& inputs) {
  const auto start = std::chrono::steady_clock::now();
  ov::AnyMap settings = properties(threads);
  settings.emplace(ov::cache_dir(cache_folder));
  ov::Core core;
  ov::CompiledModel model = reads ? core.compile_model(core.read_model(path), "CPU", settings)
                                  : core.compile_model(path, "CPU", settings);
  PeerStart out;
  out.ready_us = microseconds_since(start);
  ov::InferRequest request = model.create_infer_request();
  for (size_t i = 0; i < inputs.size(); ++i) request.set_input_tensor(i, wrap(inputs[i]));
  request.infer();
  out.answer_us = microseconds_since(start);
  out.used_cache = model.get_property(ov::loaded_from_cache);
  return out;
}

}  // namespace changeaware::bench
