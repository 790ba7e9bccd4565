#include "pt2/meta_writer.h"

#include <charconv>

#include "base/errors.h"
#include "pt2/codes.h"
#include "pt2/sympy_text.h"

namespace changeaware {
namespace {

void write_device(JsonWriter& json) {
  json.key("device").begin_object().field("type", "cpu").key("index").null().end_object();
}

// {"as_expr": {"expr_str": …, "hint": …}}. Without a hint where only a run can tell the number.
Status write_expression(JsonWriter& json, const Dim& dim, bool with_hint) {
  const auto srepr = srepr_from_infix(dim.expression);
  if (!srepr.ok()) return invalid_program("{}", srepr.status().message());
  json.begin_object().key("as_expr").begin_object().field("expr_str", *srepr).key("hint");
  if (with_hint && !has_unbacked_symbol(dim.expression)) {
    json.begin_object().field("as_int", dim.size).end_object();
  } else {
    json.null();
  }
  json.end_object().end_object();
  return {};
}

// Row-major strides, symbolic where a size to the right is.
std::vector<Dim> row_major(const std::vector<Dim>& dims) {
  std::vector<Dim> strides(dims.size(), Dim{1, ""});
  for (size_t d = dims.size(); d > 1; --d) {
    const Dim& size = dims[d - 1];
    const Dim& inner = strides[d - 1];
    Dim& stride = strides[d - 2];
    stride.size = inner.size * std::max<int64_t>(size.size, 1);
    if (size.fixed() && inner.fixed()) continue;
    const auto text = [](const Dim& d2) {
      return d2.fixed() ? std::to_string(d2.size) : "(" + d2.expression + ")";
    };
    stride.expression =
        inner.fixed() && inner.size == 1 ? size.expression : text(inner) + "*" + text(size);
  }
  return strides;
}

Status write_dims(JsonWriter& json, std::string_view key, const std::vector<Dim>& dims) {
  json.key(key).begin_array();
  for (const Dim& dim : dims) CA_RETURN_IF_ERROR(write_sym_int(json, dim));
  json.end_array();
  return {};
}

void write_ints(JsonWriter& json, std::string_view key, const std::vector<int64_t>& numbers) {
  json.key(key).begin_array();
  for (const int64_t n : numbers) json.begin_object().field("as_int", n).end_object();
  json.end_array();
}

}  // namespace

Status write_sym_int(JsonWriter& json, const Dim& dim) {
  if (!dim.fixed()) return write_expression(json, dim, true);
  json.begin_object().field("as_int", dim.size).end_object();
  return {};
}

Status write_sym_float(JsonWriter& json, const Dim& dim) {
  double number = 0;
  const char* end = dim.expression.data() + dim.expression.size();
  const auto parsed = std::from_chars(dim.expression.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) return write_expression(json, dim, false);
  json.begin_object().field("as_float", number).end_object();
  return {};
}

Status write_sym_bool(JsonWriter& json, const Dim& dim) {
  if (dim.expression != "true" && dim.expression != "false") {
    return write_expression(json, dim, false);
  }
  json.begin_object().field("as_bool", dim.expression == "true").end_object();
  return {};
}

Status write_tensor_spec(JsonWriter& json, const TensorSpec& spec) {
  json.begin_object().field("dtype", code_of(spec.dtype));
  CA_RETURN_IF_ERROR(write_dims(json, "sizes", spec.dims));
  json.field("requires_grad", false);
  write_device(json);
  CA_RETURN_IF_ERROR(
      write_dims(json, "strides", spec.strides.empty() ? row_major(spec.dims) : spec.strides));
  json.key("storage_offset").begin_object().field("as_int", 0).end_object();
  json.field("layout", kStridedCode).end_object();
  return {};
}

void write_stored_tensor_meta(JsonWriter& json, const Tensor& tensor) {
  json.begin_object().field("dtype", code_of(tensor.dtype()));
  write_ints(json, "sizes", tensor.shape());
  json.field("requires_grad", false);
  write_device(json);
  write_ints(json, "strides", tensor.strides());
  json.key("storage_offset").begin_object().field("as_int", tensor.storage_offset()).end_object();
  json.field("layout", kStridedCode).end_object();
}

}  // namespace changeaware
