#include "api/ports.h"

#include "base/errors.h"

namespace changeaware::api {
namespace {

void describe_tensor(const Port& from, ca_port& port) {
  port.dtype = static_cast<ca_dtype>(from.dtype);
  port.dimensions = from.shape;
  port.shape = fmt::format("[{}]", fmt::join(from.shape, ", "));
}

}  // namespace

ca_port make_port(const ProgramInput& input) {
  ca_port port;
  port.name = input.port.name;
  port.fixed_value = input.fixed_value;
  if (input.fixed_value.empty()) {
    describe_tensor(input.port, port);
  } else {
    port.kind = CA_FIXED_INPUT;
  }
  return port;
}

ca_port make_port(const ProgramOutput& output) {
  using Kind = ProgramOutput::Kind;
  ca_port port;
  port.name = output.name;
  port.kind = static_cast<ca_kind>(output.kind);
  switch (output.kind) {
    case Kind::kPort:
    case Kind::kConstantTensor: describe_tensor(output.port, port); break;
    case Kind::kNone: port.fixed_value = "None"; break;
    case Kind::kString: port.fixed_value = output.string_value; break;
    case Kind::kInt:
      describe_tensor({.dtype = DType::kInt64}, port);
      port.fixed_value = fmt::format("{}", output.int_value);
      break;
    case Kind::kFloat:
      describe_tensor({.dtype = DType::kFloat64}, port);
      port.fixed_value = fmt::format("{}", output.float_value);
      break;
    case Kind::kBool:
      describe_tensor({.dtype = DType::kBool}, port);
      port.fixed_value = output.int_value != 0 ? "True" : "False";
      break;
  }
  return port;
}

}  // namespace changeaware::api

const char* ca_port_name(const ca_port* port) {
  return port == nullptr ? nullptr : port->name.c_str();
}

ca_kind ca_port_kind(const ca_port* port) { return port == nullptr ? -1 : port->kind; }

ca_dtype ca_port_dtype(const ca_port* port) { return port == nullptr ? CA_NO_DTYPE : port->dtype; }

size_t ca_port_rank(const ca_port* port) { return port == nullptr ? 0 : port->dimensions.size(); }

const char* ca_port_shape(const ca_port* port) {
  return port == nullptr ? nullptr : port->shape.c_str();
}

const char* ca_port_dimension(const ca_port* port, size_t index) {
  if (port == nullptr || index >= port->dimensions.size()) return nullptr;
  return port->dimensions[index].c_str();
}

const char* ca_port_fixed_value(const ca_port* port) {
  return port == nullptr ? nullptr : port->fixed_value.c_str();
}
