#include <algorithm>
#include <cstring>

#include "api/guard.h"
#include "api/responses.h"
#include "base/errors.h"

using namespace changeaware;       // NOLINT(google-build-using-namespace)
using namespace changeaware::api;  // NOLINT(google-build-using-namespace)

namespace changeaware::api {

std::unique_ptr<ca_response> make_response(Response response, const std::vector<ca_port>& ports) {
  auto out = std::make_unique<ca_response>();
  for (OutputValue& value : response.outputs) {
    const auto port = std::find_if(ports.begin(), ports.end(),
                                   [&](const ca_port& p) { return p.name == value.name; });
    ca_output output{.name = value.name, .kind = CA_TENSOR, .tensor = {}, .text = {}};
    if (port != ports.end()) output.kind = port->kind;
    if (output.kind == CA_STRING) output.text = port->fixed_value;
    if (value.tensor.defined()) output.tensor = value.tensor.contiguous();
    out->outputs.push_back(std::move(output));
  }
  out->report = make_report(std::move(response.report));
  return out;
}

}  // namespace changeaware::api

namespace {

bool has_tensor(const ca_output* output) { return output != nullptr && output->tensor.defined(); }

}  // namespace

void ca_response_free(ca_response* response) { delete response; }

size_t ca_response_output_count(const ca_response* response) {
  return response == nullptr ? 0 : response->outputs.size();
}

const ca_output* ca_response_output(const ca_response* response, size_t index) {
  if (response == nullptr || index >= response->outputs.size()) return nullptr;
  return &response->outputs[index];
}

const ca_output* ca_response_find_output(const ca_response* response, const char* name) {
  if (response == nullptr || name == nullptr) return nullptr;
  for (const ca_output& output : response->outputs) {
    if (output.name == name) return &output;
  }
  return nullptr;
}

const char* ca_output_name(const ca_output* output) {
  return output == nullptr ? nullptr : output->name.c_str();
}

ca_kind ca_output_kind(const ca_output* output) { return output == nullptr ? -1 : output->kind; }

ca_dtype ca_output_dtype(const ca_output* output) {
  return has_tensor(output) ? static_cast<ca_dtype>(output->tensor.dtype()) : CA_NO_DTYPE;
}

size_t ca_output_rank(const ca_output* output) {
  return has_tensor(output) ? output->tensor.rank() : 0;
}

const int64_t* ca_output_shape(const ca_output* output) {
  if (!has_tensor(output) || output->tensor.rank() == 0) return nullptr;
  return output->tensor.shape().data();
}

const void* ca_output_data(const ca_output* output) {
  return has_tensor(output) ? output->tensor.data() : nullptr;
}

size_t ca_output_bytes(const ca_output* output) {
  return has_tensor(output) ? output->tensor.size_bytes() : 0;
}

const char* ca_output_text(const ca_output* output) {
  return output == nullptr ? nullptr : output->text.c_str();
}

ca_code ca_output_copy(const ca_output* output, void* buffer, size_t buffer_bytes,
                       ca_status* status) {
  return guard(status, {{output, "output"}}, [&]() -> Status {
    if (!has_tensor(output)) return invalid_argument("output '{}' is no tensor", output->name);
    const size_t bytes = ca_output_bytes(output);
    if (buffer_bytes < bytes) {
      return invalid_argument("output '{}' has {} bytes, the buffer {}", output->name, bytes,
                              buffer_bytes);
    }
    if (bytes == 0) return {};
    if (buffer == nullptr) return invalid_argument("buffer is NULL");
    std::memcpy(buffer, output->tensor.data(), bytes);
    return {};
  });
}
