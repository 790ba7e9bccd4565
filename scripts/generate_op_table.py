#!/usr/bin/env python3
"""Generates src/graph/op_table.inc from PyTorch's registered operator schemas and tags.

One line per operator overload, sorted by name:

    {"aten.add.Tensor", "(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", 0},

The schema is PyTorch's own text. The flags are kRandom, kEffects, kDataDependent and kComposite;
src/graph/op_schema.cc gives them their meaning. The output depends on the PyTorch version alone.

    python scripts/generate_op_table.py [--output FILE]

Run it with the pinned PyTorch. It stops when PyTorch has an operator whose randomness or effects
look undeclared and which is not listed below, so that a new version cannot slip one in unseen.
"""

import argparse
import pathlib
import re
import sys

import torch
import torch.ao.quantization.fx._decomposed  # registers quantized_decomposed

PINNED = "2.13.0"
NAMESPACES = ("aten", "prims", "quantized_decomposed")

# Operators that do something besides returning values, and whose schema does not say so by a
# mutated argument. The name is that of all overloads.
EFFECTS = {
    # Assertions: they fail the program.
    "aten._assert_async", "aten._assert_scalar", "aten._assert_tensor_metadata",
    "aten._functional_assert_async", "aten._functional_assert_scalar",
    "aten.sym_constrain_range", "aten.sym_constrain_range_for_size",
    "aten._functional_sym_constrain_range", "aten._functional_sym_constrain_range_for_size",
    "aten._make_dep_token", "prims._make_token", "prims._sink_tokens",
    "aten._linalg_check_errors", "aten._validate_compressed_sparse_indices",
    "aten._validate_sparse_bsc_tensor_args", "aten._validate_sparse_bsr_tensor_args",
    "aten._validate_sparse_csc_tensor_args", "aten._validate_sparse_csr_tensor_args",
    "aten._validate_sparse_compressed_tensor_args", "aten._validate_sparse_coo_tensor_args",
    # Messages and files.
    "aten._print", "aten.warn", "aten.save", "aten.from_file",
    # The state of the process, of a stream or of autograd.
    "aten.record_stream", "aten.manual_seed", "aten.seed", "aten.initial_seed", "aten.Generator",
    "aten.set_grad_enabled", "aten.grad", "aten.backward", "aten._backward", "aten.dist_backward",
    "aten.retain_grad", "aten._propagate_xla_data",
    "aten._cufft_clear_plan_cache", "aten._cufft_set_plan_cache_max_size",
    "aten.get_gradients", "aten.wait", "aten.confirmed_by_owner",
}

# Operators whose result differs from call to call although they lack the tag
# nondeterministic_seeded. An argument (training=False, dropout=0) may still make one call of them
# deterministic; that is decided where the argument is known.
RANDOM = {
    "aten._no_grad_normal_", "aten._no_grad_uniform_",
    # Recurrent networks apply dropout between their layers.
    "aten.lstm", "aten.gru", "aten.rnn_tanh", "aten.rnn_relu",
    "aten._cudnn_rnn", "aten.miopen_rnn",
    "aten.quantized_lstm", "aten.quantized_gru",
    "aten.manual_seed", "aten.seed", "aten.initial_seed", "aten.Generator",
}

# What looks random by its name but computes the same from the same arguments.
NOT_RANDOM = re.compile(
    r"gamma|poisson_nll_loss|_backward|_dirichlet_grad|_standard_gamma_grad"
    # Counter-based generators take their whole state as an argument.
    r"|_philox|seed_offset"
)
LOOKS_RANDOM = re.compile(
    r"rand|dropout|bernoulli|multinomial|rrelu|normal_|poisson|uniform|cauchy|geometric"
    r"|exponential|seed|rng|binomial|dirichlet|gamma"
)

# Targets of call nodes that are not dispatcher operators, as torch.export.save spells them:
# arithmetic on symbolic sizes, and sub-graphs. Parameter names are those of the Python functions.
_BINARY = "(Scalar a, Scalar b) -> Scalar"
_COMPARE = "(Scalar a, Scalar b) -> bool"
PSEUDO = {
    **{f"_operator.{name}": _BINARY for name in (
        "add", "sub", "mul", "floordiv", "truediv", "mod", "pow",
        "and_", "or_", "xor", "lshift", "rshift")},
    **{f"_operator.{name}": _COMPARE for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    "_operator.neg": "(Scalar a) -> Scalar",
    "_operator.pos": "(Scalar a) -> Scalar",
    "_operator.not_": "(Scalar a) -> bool",
    "math.trunc": "(Scalar x) -> int",
    "math.ceil": "(Scalar x) -> int",
    "math.floor": "(Scalar x) -> int",
    "torch.sym_not": "(Scalar a) -> bool",
    "torch.sym_int": "(Scalar a) -> int",
    "torch.sym_float": "(Scalar a) -> float",
    "torch.sym_max": _BINARY,
    "torch.sym_min": _BINARY,
    "torch.sym_sum": "(SymInt[] args) -> Scalar",
    "torch.sym_ite": "(Scalar b, Scalar t, Scalar f) -> Scalar",
    "torch._sym_sqrt": "(Scalar a) -> float",
    "higher_order.cond":
        "(Scalar pred, Graph true_graph, Graph false_graph, Tensor[] operands) -> Tensor[]",
    "higher_order.while_loop":
        "(Graph cond_graph, Graph body_graph, Tensor[] carried, Tensor[] additional) -> Tensor[]",
    "higher_order.scan":
        "(Graph combine_graph, Tensor[] init, Tensor[] xs, Tensor[] additional) -> Tensor[]",
    "higher_order.map_impl": "(Graph body_graph, Tensor[] xs, Tensor[] args) -> Tensor[]",
    "higher_order.wrap_with_set_grad_enabled":
        "(bool enabled, Graph body, Tensor[] operands) -> Tensor[]",
    "higher_order.wrap_with_autocast":
        "(str device_type, ScalarType? dtype, bool enabled, bool? cache_enabled, Graph body, "
        "Tensor[] operands) -> Tensor[]",
}


def overload(schema):
    namespace, base = schema.name.split("::")
    return f"{namespace}.{base}", schema.overload_name or "default"


def flags_of(schema, text):
    """The flags, or raises ValueError when something undeclared needs a decision."""
    base, name = overload(schema)
    namespace, short = base.split(".")
    tags = getattr(getattr(getattr(torch.ops, namespace), short), name).tags
    tagged = torch.Tag.nondeterministic_seeded in tags
    random = tagged or base in RANDOM
    suspicious = "Generator" in text or LOOKS_RANDOM.search(short)
    if suspicious and not random and not NOT_RANDOM.search(short):
        raise ValueError(f"{base}.{name} looks random but is neither tagged nor listed")
    effects = base in EFFECTS
    if text.endswith("-> ()") and "!" not in text and not effects:
        raise ValueError(f"{base}.{name} returns and mutates nothing but has no listed effect")
    dependent = (torch.Tag.data_dependent_output in tags
                 or torch.Tag.dynamic_output_shape in tags)
    full_name = schema.name + ("." + schema.overload_name if schema.overload_name else "")
    composite = (torch._C._dispatch_has_kernel(full_name)
                 and torch._C._dispatch_has_kernel_for_dispatch_key(
                     full_name, "CompositeImplicitAutograd"))
    chosen = [flag for flag, on in (("kRandom", random), ("kEffects", effects),
                                    ("kDataDependent", dependent), ("kComposite", composite)) if on]
    return " | ".join(chosen) or "0"


def entry(name, schema, flags):
    quoted = schema.replace("\\", "\\\\").replace('"', '\\"')
    return f'{{"{name}", "{quoted}", {flags}}},'


def table():
    lines = {}
    problems = []
    bases = set()
    for schema in torch._C._jit_get_all_schemas():
        if schema.name.split("::")[0] not in NAMESPACES:
            continue
        base, name = overload(schema)
        bases.add(base)
        text = str(schema)
        signature = text[text.index("("):]
        key = f"{base}.{name}"
        try:
            line = entry(key, signature, flags_of(schema, signature))
        except ValueError as problem:
            problems.append(str(problem))
            continue
        if lines.setdefault(key, line) != line:
            problems.append(f"{key} is registered twice with different schemas")
    for listed in sorted((EFFECTS | RANDOM) - bases):
        problems.append(f"{listed} is listed but does not exist")
    for name, signature in PSEUDO.items():
        lines[name] = entry(name, signature, "0")
    if problems:
        sys.exit("\n".join(sorted(problems)))
    return [lines[name] for name in sorted(lines, key=lambda n: n.encode())]


def main():
    default = pathlib.Path(__file__).resolve().parent.parent / "src/graph/op_table.inc"
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=pathlib.Path, default=default)
    arguments = parser.parse_args()
    version = torch.__version__.split("+")[0]
    if version != PINNED:
        sys.exit(f"PyTorch {PINNED} is pinned, this is {version}")
    header = [f"// Generated by scripts/generate_op_table.py from PyTorch {PINNED}. Do not edit.",
              "// {name, schema in PyTorch's schema language, flags}, sorted by name."]
    arguments.output.write_text("\n".join(header + table()) + "\n")


if __name__ == "__main__":
    main()
