#!/usr/bin/env python3
"""Generates src/normalise/autocast_table.inc: what autocast on the CPU does to operators.

One line per operator overload, sorted by name:

    {"aten.linear.default", kLower},

Operators that PyTorch registers for the key AutocastCPU are called with tensors of two precisions
while every operator below autocast is recorded. What is cast before anything else happens is the
policy: kLower (to the dtype of the region), kFloat32, or kPromote (to the widest of the arguments).
Every tensor argument must be treated alike; the script stops where one is not.

Other operators run as they are, but composite ones, and kernels that call operators, may reach one
of the first kind. They are called on PyTorch's own samples with autocast and without: kPlain when
both record the same calls and give the same bits, kParts when one sample differs. Composite
operators that have no samples and are not listed below are left out: nothing is known of them.

    python scripts/generate_autocast_table.py [--output FILE]

Run it with the pinned PyTorch.
"""

import argparse
import pathlib
import sys
import warnings

import torch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

PINNED = "2.13.0"
LOWER = torch.bfloat16
KEY = "AutocastCPU"
SAMPLES = 8

# Composites without samples of their own that call nothing that autocast casts, or that only joins
# tensors, which promotes them to the same dtype.
PLAIN = """
_upsample_bicubic2d_aa.vec _upsample_bilinear2d_aa.vec _upsample_nearest_exact1d.vec
_upsample_nearest_exact2d.vec _upsample_nearest_exact3d.vec absolute.default adjoint.default
alpha_dropout.default arccos.default arccosh.default arcsin.default arcsinh.default arctan.default
arctan2.default arctanh.default atleast_1d.default atleast_2d.default atleast_3d.default
avg_pool1d.default batch_norm.default broadcast_tensors.default broadcast_to.default chunk.default
clip.Tensor clip.default concat.default concatenate.default contiguous.default divide.Scalar
divide.Scalar_mode divide.Tensor divide.Tensor_mode dropout.default embedding_bag.default
embedding_bag.padding_idx expand_as.default feature_dropout.default fix.default flatten.using_ints
float_power.Scalar float_power.Tensor_Scalar greater.Scalar greater.Tensor greater_equal.Scalar
greater_equal.Tensor group_norm.default instance_norm.default item.default layer_norm.default
less.Scalar less.Tensor less_equal.Scalar less_equal.Tensor log_softmax.int matrix_H.default
max_pool1d.default max_pool2d.default meshgrid.default meshgrid.indexing moveaxis.int
moveaxis.intlist movedim.int movedim.intlist multiply.Scalar multiply.Tensor narrow.default
native_channel_shuffle.default negative.default not_equal.Scalar not_equal.Tensor numpy_T.default
one_hot.default reshape.default reshape_as.default rms_norm.default size.int softmax.int
special_digamma.default special_erf.default special_erfc.default special_erfinv.default
special_exp2.default special_expit.default special_expm1.default special_i0.default
special_log1p.default special_log_softmax.default special_logit.default special_logsumexp.default
special_softmax.default split.sizes subtract.Scalar subtract.Tensor swapaxes.default
swapdims.default sym_numel.default sym_size.int sym_stride.int tensor_split.indices
tensor_split.sections tile.default to.device to.dtype to.dtype_layout to.other true_divide.Scalar
type_as.default unflatten.int unsafe_chunk.default upsample_bicubic2d.vec upsample_bilinear2d.vec
upsample_linear1d.vec upsample_nearest1d.vec upsample_nearest2d.vec upsample_nearest3d.vec
upsample_trilinear3d.vec view_as.default where.Scalar where.ScalarOther where.ScalarSelf
where.default
""".split()

# Other names of operators that are registered.
ALIASES = {"linalg_matmul.default": "matmul.default"}


class Record(TorchDispatchMode):
    """Every operator below autocast, with the dtypes of its tensors."""

    def __init__(self):
        super().__init__()
        self.calls = []
        self.casts = []  # (tensor, dtype) until anything but a cast happens
        self._casting = True

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        tensors = [t for t in pytree.tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor)]
        self.calls.append((str(func), tuple(t.dtype for t in tensors), kwargs.get("dtype")))
        if func is torch.ops.aten._to_copy.default and self._casting:
            if kwargs["dtype"] in (LOWER, torch.float32):  # the others are the kernel's own
                self.casts.append((args[0], kwargs["dtype"]))
        else:
            self._casting = False
        return func(*args, **kwargs)


def overload_of(name):
    base, _, overload = name.removeprefix("aten::").partition(".")
    return getattr(getattr(torch.ops.aten, base), overload or "default")


def generic_arguments(schema, dtypes):
    """Arguments that need not make sense: autocast looks at their dtypes before anybody else."""
    dtypes = iter(dtypes)
    tensors = []

    def tensor():
        tensors.append(torch.ones(2, 2, dtype=next(dtypes)))
        return tensors[-1]

    makers = {"Tensor": tensor, "Optional[Tensor]": tensor,
              "List[Tensor]": lambda: [tensor(), tensor()], "int": lambda: 1, "float": lambda: 0.5,
              "number": lambda: 1, "bool": lambda: False, "str": lambda: "none",
              "List[int]": lambda: [1, 1, 1, 1, 1, 1]}
    made = []
    for argument in schema.arguments:
        kind = str(argument.type)
        if "Tensor" not in kind and argument.has_default_value():
            continue
        made.append((argument, makers[kind]()))
    return [made[0][1]], {argument.name: value for argument, value in made[1:]}, tensors


def casts_of(op, dtypes):
    """By tensor argument, in order: the dtype it is cast to, or None."""
    args, kwargs, tensors = generic_arguments(op._schema, dtypes)
    record = Record()
    with torch.autocast("cpu", dtype=LOWER, cache_enabled=False), record:
        try:
            op(*args, **kwargs)
        except (RuntimeError, IndexError, ValueError, NotImplementedError):
            pass  # of the kernel, after the casts
    found = {id(tensor): dtype for tensor, dtype in record.casts}
    return [found.get(id(tensor)) for tensor in tensors]


def policy_of(op):
    float32, half = torch.float32, LOWER
    wide = casts_of(op, [float32] * 32)
    narrow = casts_of(op, [half] * 32)
    mixed = casts_of(op, [float32] + [half] * 31)
    if wide and all(dtype is half for dtype in wide):
        return "kLower"  # what `narrow` shows is the kernel's own
    if all(dtype is float32 for dtype in narrow) and narrow and not any(wide):
        return "kFloat32"
    if not any(wide) and not any(narrow) and len(mixed) > 1 and mixed[0] is None and all(
            dtype is float32 for dtype in mixed[1:]):
        return "kPromote"
    raise ValueError(f"{op}: no known policy: {wide}, {narrow}, {mixed}")


def outcome(op, sample, autocast):
    record = Record()
    args = [sample.input, *sample.args]
    with torch.no_grad(), torch.autocast("cpu", dtype=LOWER, enabled=autocast,
                                         cache_enabled=False):
        with record:
            op(*args, **sample.kwargs)
        result = op(*args, **sample.kwargs)
    bits = [(leaf.dtype, leaf.shape, leaf) for leaf in pytree.tree_leaves(result)
            if isinstance(leaf, torch.Tensor)]
    return record.calls, bits


def same(left, right):
    return left[0] == right[0] and len(left[1]) == len(right[1]) and all(
        a[:2] == b[:2] and torch.equal(a[2].nan_to_num(7.5), b[2].nan_to_num(7.5))
        for a, b in zip(left[1], right[1], strict=True))


def samples_policy(op, info):
    """kPlain, kParts, or None when no sample fits this overload."""
    fitting = 0
    for dtype in (torch.float32, LOWER):
        if dtype not in info.supported_dtypes("cpu"):
            continue
        for index, sample in enumerate(info.sample_inputs("cpu", dtype)):
            if index == SAMPLES:
                break
            try:
                torch.manual_seed(0)
                without = outcome(op, sample, False)
            except Exception:  # noqa: BLE001: of another overload, or refused
                continue
            if torch.Tag.nondeterministic_seeded in op.tags or not without[1]:
                continue
            fitting += 1
            try:
                if not same(without, outcome(op, sample, True)):
                    return "kParts"
            except Exception:  # noqa: BLE001: works without autocast alone
                return "kParts"
    return "kPlain" if fitting else None


def sampled(registered):
    from torch.testing._internal.common_methods_invocations import op_db

    found = {}
    for info in op_db:
        names = {info.aten_name, info.name.rpartition(".")[2]}
        for base in sorted(names):
            packet = getattr(torch.ops.aten, base, None)
            for overload in packet.overloads() if packet else ():
                op = getattr(packet, overload)
                if f"{op}" in registered or op._schema.is_mutable or "empty" in base:
                    continue
                policy = samples_policy(op, info)
                if policy and found.get(f"{op}") != "kParts":
                    found[f"{op}"] = policy
    return found


def is_composite(op):
    return torch._C._dispatch_has_kernel(
        op.name()) and torch._C._dispatch_has_kernel_for_dispatch_key(
            op.name(), "CompositeImplicitAutograd")


def table():
    lines = {}
    for name in torch._C._dispatch_get_registrations_for_dispatch_key(KEY):
        if not name.startswith("aten::"):
            raise ValueError(f"{name} is registered for {KEY}")
        lines[f"{overload_of(name)}"] = policy_of(overload_of(name))
    found = sampled(lines)
    for name, policy in found.items():
        packet, _, overload = name.removeprefix("aten.").partition(".")
        op = getattr(getattr(torch.ops.aten, packet), overload)
        if policy == "kParts" or is_composite(op):
            lines[name] = policy
    for name in PLAIN:
        packet, _, overload = name.partition(".")
        op = getattr(getattr(torch.ops.aten, packet), overload)
        if not is_composite(op):
            raise ValueError(f"{op} is not composite: it runs as it is in any case")
        if lines.setdefault(f"{op}", "kPlain") != "kPlain":
            raise ValueError(f"{op} is listed as plain and is {lines[f'{op}']}")
    for alias, name in ALIASES.items():
        lines[f"aten.{alias}"] = lines[f"aten.{name}"]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    root = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("--output", type=pathlib.Path,
                        default=root / "src" / "normalise" / "autocast_table.inc")
    output = parser.parse_args().output
    if torch.__version__.split("+")[0] != PINNED:
        sys.exit(f"this needs PyTorch {PINNED}, not {torch.__version__}")
    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    lines = table()
    header = "// Generated by scripts/generate_autocast_table.py. Do not edit.\n"
    output.write_text(header + "".join(f'{{"{n}", {p}}},\n' for n, p in sorted(lines.items())))


if __name__ == "__main__":
    main()
