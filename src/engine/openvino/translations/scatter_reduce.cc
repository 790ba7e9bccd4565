// Scattering with a reduction.
//
// OpenVINO's mean of integers truncates where PyTorch floors, and its count of what was written is
// its own; so sums and counts are made apart. `index_reduce` has an index per row: it is repeated
// over the row.
// Source: PyTorch documentation of torch.Tensor.scatter_reduce_ and index_reduce_.
#include <openvino/opsets/opset12.hpp>

#include "engine/openvino/translations/builders.h"
#include "engine/openvino/translations/integers.h"

namespace changeaware::ovn {
namespace {

using Scatter = ov::op::v12::ScatterElementsUpdate;
using Reduction = Scatter::Reduction;

struct Writing {
  Output self, index, source;
  int64_t dim;
  bool include_self;
};

Reduction reduction_of(const std::string& name) {
  if (name == "sum" || name == "add") return Reduction::SUM;
  if (name == "prod" || name == "multiply") return Reduction::PROD;
  if (name == "mean") return Reduction::MEAN;
  if (name == "amax") return Reduction::MAX;
  if (name == "amin") return Reduction::MIN;
  throw Refusal(fmt::format("reduction \"{}\"", name));
}

Output scattered(const Writing& w, const Output& self, const Output& source, Reduction reduction) {
  return make<Scatter>(self, w.index, source, int_scalar(w.dim), reduction, w.include_self);
}

// Places that nothing is written to keep what they held.
Output mean(const Writing& w) {
  const ov::element::Type type = w.self.get_element_type();
  const Output sums = scattered(w, w.self, w.source, Reduction::SUM);
  const Output one = convert(int_scalar(1), type);
  const Output ones = make<op::Broadcast>(one, make<op::ShapeOf>(w.self));
  const Output each = make<op::Broadcast>(one, make<op::ShapeOf>(w.source));
  const Output counts = scattered(w, ones, each, Reduction::SUM);
  return type.is_real() ? make<op::Divide>(sums, counts) : floored_quotient(sums, counts);
}

ov::OutputVector reduced(const OpContext& context, Writing w, const std::string& name) {
  Reduction reduction = reduction_of(name);
  const bool is_bool = w.self.get_element_type() == ov::element::boolean;
  if (is_bool) {
    if (reduction == Reduction::MEAN) throw Refusal("a mean of bool");
    if (reduction == Reduction::SUM) reduction = Reduction::MAX;
    w.self = convert(w.self, ov::element::i32);
    w.source = convert(w.source, ov::element::i32);
  }
  Output y = reduction == Reduction::MEAN ? mean(w) : scattered(w, w.self, w.source, reduction);
  if (is_bool) y = is_nonzero(y);
  const bool scalar_result = context.result().dims.empty();
  return {scalar_result ? reshape(y, {}) : y};
}

Output with_a_dim(const Output& x, size_t rank) { return rank == 0 ? reshape(x, {1}) : x; }

// Only the part of the source that the index covers is read.
ov::OutputVector scatter_reduce(const OpContext& context) {
  const Shape self = context.fixed_shape_of("self");
  const Shape index = context.fixed_shape_of("index");
  const Shape src = context.fixed_shape_of("src");
  Output source = with_a_dim(context.tensor("src"), src.size());
  for (size_t d = 0; d < index.size() && d < src.size(); ++d) {
    if (index[d] >= src[d]) continue;
    source = make<op::Slice>(source, int_list({0}), int_list({index[d]}), int_list({1}),
                             int_list({static_cast<int64_t>(d)}));
  }
  const bool has_flag = context.node().op->arg_index("include_self") >= 0;
  const Writing w{with_a_dim(context.tensor("self"), self.size()),
                  with_a_dim(convert(context.tensor("index"), ov::element::i64), index.size()),
                  source, wrap_dim(context.integer("dim"), self.size()),
                  !has_flag || context.flag("include_self")};
  return reduced(context, w, context.text("reduce"));
}

ov::OutputVector index_reduce(const OpContext& context) {
  const Shape self = context.fixed_shape_of("self");
  Shape source = context.fixed_shape_of("source");
  if (source.empty()) source = {1};
  const int64_t dim = wrap_dim(context.integer("dim"), self.size());
  std::vector<int64_t> along(source.size(), 1);
  along.at(static_cast<size_t>(dim)) = -1;
  const Output rows = reshape(convert(context.tensor("index"), ov::element::i64), along);
  const Writing w{with_a_dim(context.tensor("self"), self.size()),
                  make<op::Broadcast>(rows, int_list(source)),
                  reshape(context.tensor("source"), source), dim, context.flag("include_self")};
  return reduced(context, w, context.text("reduce"));
}

constexpr Translation kTable[] = {
    {"aten.scatter_reduce.two", scatter_reduce},
    {"aten.index_reduce.default", index_reduce},
};

}  // namespace

std::span<const Translation> scatter_reduce_translations() { return kTable; }

}  // namespace changeaware::ovn
