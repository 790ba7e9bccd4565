// Operators that are others under another name: NumPy's names, copies of views, and the operators
// that core ATen has in place of composites.
#include "normalise/decompositions/decompositions.h"

namespace changeaware {
namespace {

constexpr Rename kRenames[] = {
    // Core ATen. Their further results are statistics for the backward pass.
    {"aten.native_layer_norm.default", "aten.layer_norm.default", {}, {}},
    {"aten.native_group_norm.default", "aten.group_norm.default", {{"num_groups", "group"}}, {"N", "C", "HxW"}},
    {"aten._softmax.default", "aten.softmax.int", {}, {"half_to_float"}},
    {"aten._log_softmax.default", "aten.log_softmax.int", {}, {"half_to_float"}},
    {"aten._adaptive_avg_pool2d.default", "aten.adaptive_avg_pool2d.default", {}, {}},
    {"aten._adaptive_avg_pool3d.default", "aten.adaptive_avg_pool3d.default", {}, {}},
    // A value has no strides that could forbid a view.
    {"aten.view.default", "aten.reshape.default", {{"shape", "size"}}, {}},
    {"aten._unsafe_view.default", "aten.reshape.default", {{"shape", "size"}}, {}},
    {"aten._reshape_copy.default", "aten.reshape.default", {{"shape", "size"}}, {}},
    {"aten._unsafe_index.Tensor", "aten.index.Tensor", {}, {}},
    {"aten._scaled_dot_product_flash_attention_for_cpu.default", "aten.scaled_dot_product_attention.default", {}, {}},
    {"aten.unsafe_chunk.default", "aten.chunk.default", {}, {}},
    {"aten.unsafe_split.Tensor", "aten.split.Tensor", {}, {}},
    {"aten.unsafe_split_with_sizes.default", "aten.split_with_sizes.default", {}, {}},
    // Copies of views: a value does not tell where it lives.
    {"aten.detach_copy.default", "aten.alias.default", {}, {}},
    {"aten.alias_copy.default", "aten.alias.default", {}, {}},
    {"aten.lift_fresh_copy.default", "aten.alias.default", {}, {}},
    {"aten.expand_copy.default", "aten.expand.default", {}, {}},
    {"aten.permute_copy.default", "aten.permute.default", {}, {}},
    {"aten.select_copy.int", "aten.select.int", {}, {}},
    {"aten.slice_copy.Tensor", "aten.slice.Tensor", {}, {}},
    {"aten.squeeze_copy.default", "aten.squeeze.default", {}, {}},
    {"aten.squeeze_copy.dim", "aten.squeeze.dim", {}, {}},
    {"aten.squeeze_copy.dims", "aten.squeeze.dims", {}, {}},
    {"aten.t_copy.default", "aten.t.default", {}, {}},
    {"aten.transpose_copy.int", "aten.transpose.int", {}, {}},
    {"aten.unsqueeze_copy.default", "aten.unsqueeze.default", {}, {}},
    {"aten.view_copy.default", "aten.reshape.default", {{"shape", "size"}}, {}},
    {"aten.narrow_copy.default", "aten.narrow.default", {}, {}},
    {"aten.diagonal_copy.default", "aten.diagonal.default", {}, {}},
    {"aten.unfold_copy.default", "aten.unfold.default", {}, {}},
    // NumPy's names.
    {"aten.arccos.default", "aten.acos.default", {}, {}},
    {"aten.arccosh.default", "aten.acosh.default", {}, {}},
    {"aten.arcsin.default", "aten.asin.default", {}, {}},
    {"aten.arcsinh.default", "aten.asinh.default", {}, {}},
    {"aten.arctan.default", "aten.atan.default", {}, {}},
    {"aten.arctan2.default", "aten.atan2.default", {}, {}},
    {"aten.arctanh.default", "aten.atanh.default", {}, {}},
    {"aten.absolute.default", "aten.abs.default", {}, {}},
    {"aten.clip.default", "aten.clamp.default", {}, {}},
    {"aten.clip.Tensor", "aten.clamp.Tensor", {}, {}},
    {"aten.concat.default", "aten.cat.default", {}, {}},
    {"aten.concatenate.default", "aten.cat.default", {}, {}},
    {"aten.divide.Tensor", "aten.div.Tensor", {}, {}},
    {"aten.divide.Scalar", "aten.div.Scalar", {}, {}},
    {"aten.divide.Tensor_mode", "aten.div.Tensor_mode", {}, {}},
    {"aten.divide.Scalar_mode", "aten.div.Scalar_mode", {}, {}},
    {"aten.true_divide.Tensor", "aten.div.Tensor", {}, {}},
    {"aten.true_divide.Scalar", "aten.div.Scalar", {}, {}},
    {"aten.multiply.Tensor", "aten.mul.Tensor", {}, {}},
    {"aten.multiply.Scalar", "aten.mul.Scalar", {}, {}},
    {"aten.subtract.Tensor", "aten.sub.Tensor", {}, {}},
    {"aten.subtract.Scalar", "aten.sub.Scalar", {}, {}},
    {"aten.negative.default", "aten.neg.default", {}, {}},
    {"aten.greater.Tensor", "aten.gt.Tensor", {}, {}},
    {"aten.greater.Scalar", "aten.gt.Scalar", {}, {}},
    {"aten.greater_equal.Tensor", "aten.ge.Tensor", {}, {}},
    {"aten.greater_equal.Scalar", "aten.ge.Scalar", {}, {}},
    {"aten.less.Tensor", "aten.lt.Tensor", {}, {}},
    {"aten.less.Scalar", "aten.lt.Scalar", {}, {}},
    {"aten.less_equal.Tensor", "aten.le.Tensor", {}, {}},
    {"aten.less_equal.Scalar", "aten.le.Scalar", {}, {}},
    {"aten.not_equal.Tensor", "aten.ne.Tensor", {}, {}},
    {"aten.not_equal.Scalar", "aten.ne.Scalar", {}, {}},
    {"aten.ger.default", "aten.outer.default", {}, {}},
    {"aten.moveaxis.int", "aten.movedim.int", {}, {}},
    {"aten.moveaxis.intlist", "aten.movedim.intlist", {}, {}},
    {"aten.swapaxes.default", "aten.transpose.int", {{"dim0", "axis0"}, {"dim1", "axis1"}}, {}},
    {"aten.swapdims.default", "aten.transpose.int", {}, {}},
    {"aten.special_erf.default", "aten.erf.default", {}, {}},
    {"aten.special_erfc.default", "aten.erfc.default", {}, {}},
    {"aten.special_erfinv.default", "aten.erfinv.default", {}, {}},
    {"aten.special_expit.default", "aten.sigmoid.default", {}, {}},
    {"aten.special_expm1.default", "aten.expm1.default", {}, {}},
    {"aten.special_log1p.default", "aten.log1p.default", {}, {}},
    {"aten.special_logsumexp.default", "aten.logsumexp.default", {}, {}},
    {"aten.special_softmax.default", "aten.softmax.int", {}, {}},
    {"aten.special_log_softmax.default", "aten.log_softmax.int", {}, {}},
};

}  // namespace

std::span<const Rename> renames() { return kRenames; }

}  // namespace changeaware
