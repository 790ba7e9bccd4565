#include "pt2/meta_reader.h"

#include <utility>

#include "base/errors.h"
#include "pt2/codes.h"
#include "pt2/sympy_text.h"

namespace changeaware {
namespace {

// The expression of {"expr_str": …}.
Result<std::string> read_expression(const JsonView& expr) {
  CA_ASSIGN_OR_RETURN(const JsonView text_view, expr.get("expr_str"));
  CA_ASSIGN_OR_RETURN(const std::string_view text, text_view.as_string());
  auto infix = infix_from_srepr(text);
  if (!infix.ok()) return at(text_view, infix.status());
  return infix;
}

Result<int64_t> read_code(const JsonView& view, std::string_view key) {
  CA_ASSIGN_OR_RETURN(const JsonView code, view.get(key));
  return code.as_int();
}

Status check_layout(const JsonView& view) {
  CA_ASSIGN_OR_RETURN(const int64_t code, read_code(view, "layout"));
  const auto layout = layout_from_code(code);
  if (!layout.ok()) return at(view, layout.status());
  if (*layout != Layout::kStrided) return at(view, unsupported("a tensor that is not strided"));
  return {};
}

Result<DType> read_dtype(const JsonView& view) {
  CA_ASSIGN_OR_RETURN(const int64_t code, read_code(view, "dtype"));
  const auto dtype = dtype_from_code(code);
  if (!dtype.ok()) return at(view, dtype.status());
  return *dtype;
}

Result<std::vector<Dim>> read_dims(const JsonView& view, std::string_view key) {
  CA_ASSIGN_OR_RETURN(const JsonView list, view.get(key));
  CA_ASSIGN_OR_RETURN(const auto elements, list.elements());
  std::vector<Dim> dims;
  for (const JsonView& element : elements) {
    CA_ASSIGN_OR_RETURN(Dim dim, read_sym_int(element));
    dims.push_back(std::move(dim));
  }
  return dims;
}

Result<std::vector<int64_t>> read_fixed(const JsonView& view, std::string_view key) {
  CA_ASSIGN_OR_RETURN(const std::vector<Dim> dims, read_dims(view, key));
  std::vector<int64_t> out;
  for (const Dim& dim : dims) {
    if (!dim.fixed()) return view.error(fmt::format("stored {} with a symbol", key));
    out.push_back(dim.size);
  }
  return out;
}

}  // namespace

Status at(const JsonView& view, const Status& status) {
  return Status(status.code(), view.error(status.message()).message());
}

Result<Dim> read_sym_int(const JsonView& view) {
  CA_ASSIGN_OR_RETURN(const auto member, view.only_member());
  Dim dim;
  if (member.first == "as_int") {
    CA_ASSIGN_OR_RETURN(dim.size, member.second.as_int());
    return dim;
  }
  if (member.first != "as_expr") return view.error(fmt::format("unknown kind {}", member.first));
  CA_ASSIGN_OR_RETURN(dim.expression, read_expression(member.second));
  if (const auto hint = member.second.find("hint")) {
    CA_ASSIGN_OR_RETURN(const auto hinted, hint->only_member());
    CA_ASSIGN_OR_RETURN(dim.size, hinted.second.as_int());
  }
  return dim;
}

Result<Dim> read_sym_float(const JsonView& view) {
  CA_ASSIGN_OR_RETURN(const auto member, view.only_member());
  Dim dim;
  if (member.first == "as_float") {
    CA_ASSIGN_OR_RETURN(const double number, member.second.as_double());
    dim.expression = fmt::format("{}", number);
    if (dim.expression.find_first_of(".ein") == std::string::npos) dim.expression += ".0";
    return dim;
  }
  if (member.first != "as_expr") return view.error(fmt::format("unknown kind {}", member.first));
  CA_ASSIGN_OR_RETURN(dim.expression, read_expression(member.second));
  return dim;
}

Result<Dim> read_sym_bool(const JsonView& view) {
  CA_ASSIGN_OR_RETURN(const auto member, view.only_member());
  Dim dim;
  if (member.first == "as_bool") {
    CA_ASSIGN_OR_RETURN(const bool flag, member.second.as_bool());
    dim.expression = flag ? "true" : "false";
    return dim;
  }
  if (member.first != "as_expr") return view.error(fmt::format("unknown kind {}", member.first));
  CA_ASSIGN_OR_RETURN(dim.expression, read_expression(member.second));
  return dim;
}

Result<TensorSpec> read_tensor_spec(const JsonView& view) {
  TensorSpec spec;
  CA_RETURN_IF_ERROR(check_layout(view));
  CA_ASSIGN_OR_RETURN(spec.dtype, read_dtype(view));
  CA_ASSIGN_OR_RETURN(spec.dims, read_dims(view, "sizes"));
  CA_ASSIGN_OR_RETURN(spec.strides, read_dims(view, "strides"));
  if (spec.dims.size() != spec.strides.size())
    return view.error("sizes and strides differ in number");
  if (const auto offset = view.find("storage_offset")) {
    CA_ASSIGN_OR_RETURN(spec.storage_offset, read_sym_int(*offset));
  }
  for (const Dim& dim : spec.dims) {
    if (dim.size < 0) return view.error(fmt::format("a negative size {}", dim.size));
  }
  return spec;
}

Result<StoredTensorMeta> read_stored_tensor_meta(const JsonView& view) {
  StoredTensorMeta meta;
  CA_RETURN_IF_ERROR(check_layout(view));
  CA_ASSIGN_OR_RETURN(meta.dtype, read_dtype(view));
  CA_ASSIGN_OR_RETURN(meta.sizes, read_fixed(view, "sizes"));
  CA_ASSIGN_OR_RETURN(meta.strides, read_fixed(view, "strides"));
  CA_ASSIGN_OR_RETURN(const JsonView offset_view, view.get("storage_offset"));
  CA_ASSIGN_OR_RETURN(const Dim offset, read_sym_int(offset_view));
  if (!offset.fixed()) return offset_view.error("a symbol as storage offset");
  meta.storage_offset = offset.size;
  return meta;
}

}  // namespace changeaware
