#include "normalise/decompositions/builder.h"

#include <algorithm>

#include "base/errors.h"

namespace changeaware {

std::vector<Dim> broadcast_dims(const std::vector<Dim>& a, const std::vector<Dim>& b) {
  std::vector<Dim> out = a.size() >= b.size() ? a : b;
  const std::vector<Dim>& shorter = a.size() >= b.size() ? b : a;
  const size_t offset = out.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    Dim& dim = out[offset + i];
    if (dim.fixed() && dim.size == 1) dim = shorter[i];
  }
  return out;
}

ValueId Builder::take(Result<ValueId> made) {
  if (made.ok()) return *made;
  fail(made.status());
  return kNoId;
}

ValueId Builder::tensor(std::string_view name) {
  const Argument now = arg(name);
  if (const auto* value = std::get_if<ValueRef>(&now)) return value->id;
  refuse(fmt::format("its argument {} is no tensor", name));
  return kNoId;
}

std::optional<double> Builder::number(std::string_view name) const {
  const Argument now = arg(name);
  if (const auto* i = std::get_if<int64_t>(&now)) return static_cast<double>(*i);
  const auto* d = std::get_if<double>(&now);
  return d == nullptr ? std::nullopt : std::optional<double>(*d);
}

TensorSpec Builder::result_spec(size_t i) const {
  if (i >= node_.outputs.size() || node_.outputs[i] == kNoId) return {};
  return rewriter_.from().value(node_.outputs[i]).spec;
}

std::string Builder::label(std::string_view op) const {
  const size_t dot = op.find('.');
  return fmt::format("{}_{}", node_.name, op.substr(dot + 1, op.rfind('.') - dot - 1));
}

ValueId Builder::op(std::string_view name, std::vector<NamedArgument> args, TensorSpec spec) {
  if (!status_.ok()) return kNoId;
  return take(rewriter_.emit(name, args, rewriter_.temporary(label(name), std::move(spec))));
}

std::vector<ValueId> Builder::ops(std::string_view name, std::vector<NamedArgument> args,
                                  std::vector<TensorSpec> specs) {
  std::vector<ValueId> none(specs.size(), kNoId);
  if (!status_.ok()) return none;
  std::vector<Value> results;
  for (size_t i = 0; i < specs.size(); ++i) {
    results.push_back(
        rewriter_.temporary(fmt::format("{}_{}", label(name), i), std::move(specs[i])));
  }
  auto made = rewriter_.emit_all(name, args, std::move(results));
  if (made.ok()) return *std::move(made);
  fail(made.status());
  return none;
}

TensorSpec Builder::with_dims(ValueId like, std::vector<Dim> dims) const {
  TensorSpec out;
  if (like == kNoId) return out;
  out.dtype = spec(like).dtype;
  out.dims = std::move(dims);
  return out;
}

TensorSpec Builder::with_dtype(ValueId like, DType dtype) const {
  TensorSpec out;
  if (like != kNoId) out.dims = spec(like).dims;
  out.dtype = dtype;
  return out;
}

ValueId Builder::unary(std::string_view name, ValueId self) {
  if (!status_.ok()) return kNoId;
  return op(name, {{"self", ref(self)}}, with_dims(self, spec(self).dims));
}

ValueId Builder::binary(std::string_view name, ValueId self, ValueId other) {
  if (!status_.ok()) return kNoId;
  return op(name, {{"self", ref(self)}, {"other", ref(other)}},
            with_dims(self, broadcast_dims(spec(self).dims, spec(other).dims)));
}

ValueId Builder::binary(std::string_view name, ValueId self, Argument other) {
  if (!status_.ok()) return kNoId;
  return op(name, {{"self", ref(self)}, {"other", std::move(other)}},
            with_dims(self, spec(self).dims));
}

ValueId Builder::compare(std::string_view name, ValueId self, Argument other) {
  if (!status_.ok()) return kNoId;
  return op(name, {{"self", ref(self)}, {"other", std::move(other)}},
            with_dtype(self, DType::kBool));
}

ValueId Builder::where(ValueId condition, ValueId self, ValueId other) {
  if (!status_.ok()) return kNoId;
  auto dims =
      broadcast_dims(spec(condition).dims, broadcast_dims(spec(self).dims, spec(other).dims));
  return op("aten.where.self",
            {{"condition", ref(condition)}, {"self", ref(self)}, {"other", ref(other)}},
            with_dims(self, std::move(dims)));
}

ValueId Builder::scalar(Argument value, DType dtype) {
  TensorSpec spec;
  spec.dtype = dtype;
  return op("aten.full.default",
            {{"size", std::vector<int64_t>{}}, {"fill_value", std::move(value)}, {"dtype", dtype}},
            std::move(spec));
}

ValueId Builder::constant(std::string_view name, Tensor tensor) {
  TensorSpec spec;
  spec.dtype = tensor.dtype();
  for (int64_t size : tensor.shape()) spec.dims.push_back(Dim{size, ""});
  Graph& graph = rewriter_.to();
  Value value = rewriter_.temporary(fmt::format("{}_{}", node_.name, name), std::move(spec));
  const std::string fqn = value.name;
  const ValueId id = graph.add_value(std::move(value));
  graph.add_constant({id, fqn, ConstantKind::kLifted, std::move(tensor)});
  return id;
}

ValueId Builder::cast(ValueId self, DType dtype) {
  if (!status_.ok() || spec(self).dtype == dtype) return self;
  return op("aten.to.dtype", {{"self", ref(self)}, {"dtype", dtype}}, with_dtype(self, dtype));
}

Argument Builder::sizes(ValueId from) {
  if (!status_.ok()) return None{};
  Result<Argument> sizes = rewriter_.sizes_of(from);
  if (sizes.ok()) return *sizes;
  fail(sizes.status());
  return None{};
}

void Builder::result(std::string_view name, std::vector<NamedArgument> args) {
  if (!status_.ok() || node_.outputs.empty() || node_.outputs[0] == kNoId) return;
  result(take(rewriter_.emit(name, args, rewriter_.like(node_.outputs[0]))));
}

void Builder::result(ValueId now) { further_result(0, now); }

void Builder::further_result(size_t i, ValueId now) {
  if (!status_.ok() || i >= node_.outputs.size() || node_.outputs[i] == kNoId) return;
  rewriter_.map(node_.outputs[i], ref(now));
}

const Tensor* Builder::constant_of(ValueId now) const {
  const Constant* constant = rewriter_.to().constant_of(now);
  return constant == nullptr ? nullptr : &constant->tensor;
}

void Builder::refuse(std::string_view why) {
  fail(unsupported("node '{}' ({}): {}", node_.name, node_.op->name, why));
}

}  // namespace changeaware
