"""changeaware.export: what cannot become a program is refused with what to do about it."""

import changeaware
import pytest
import torch
from torch import nn
from torch.export import Dim
from torch_modules import Counting, Function, TwoTowers, seeded, user_and_items


def writes_to_its_input(x):
    x.mul_(2)
    return x + 1


def writes_to_a_view_of_its_input(x):
    x[0].transpose(0, 0).add_(1)
    return x + 1


def branches(x):
    return x if x.sum() > 0 else -x


X = torch.ones(2, 3)

# module, args, keyword arguments of export, code, what the message says
REFUSED = {
    "training": (lambda: nn.Sequential(nn.Linear(3, 3), nn.Dropout()), (X,), {}, "InvalidArgument",
                 ["training mode", "module.eval()"]),
    "dropout_in_training": (
        lambda: nn.Sequential(nn.Linear(3, 3), nn.Dropout()).eval().apply(
            lambda m: m.train() if isinstance(m, nn.Dropout) else m),
        (X,), {}, "InvalidArgument", ["'1' of the module", "training mode"]),
    "buffer": (Counting, (X,), {}, "Unsupported",
               ["writes to 'calls'", "take that state as an input"]),
    "input": (lambda: Function(writes_to_its_input), (X,), {}, "Unsupported",
              ["writes to its input", "mul_", "clone()"]),
    "view": (lambda: Function(writes_to_a_view_of_its_input), (X,), {}, "Unsupported",
             ["writes to its input", "add_"]),
    "branch": (lambda: Function(branches), (X,), {}, "Unsupported",
               ["data-dependent", "torch.where or torch.cond"]),
    "branch_strict": (lambda: Function(branches), (X,), {"strict": True}, "Unsupported",
                      ["torch.where or torch.cond"]),
    "numpy": (lambda: Function(lambda x: torch.from_numpy(x.numpy() * 2)), (X,), {}, "Unsupported",
              ["cannot export", "NumPy"]),
    "missing": (lambda: nn.Linear(3, 3), (), {}, "InvalidArgument", ["does not take", "'input'"]),
    "shape": (lambda: nn.Linear(4, 3), (X,), {}, "InvalidArgument", ["does not take", "2x3"]),
    "fixed_size": (lambda: Function(lambda x: x.reshape(2, 3) + 1), (X,),
                   {"dynamic_shapes": (({0: Dim("rows")},),)}, "InvalidArgument",
                   ["Constraints violated", "rows = 2", "leave that size out of dynamic_shapes"]),
    "nesting": (lambda: Function(lambda x: x + 1), (X,),
                {"dynamic_shapes": {"x": {0: Dim("rows")}}}, "InvalidArgument",
                ["nested like the inputs"]),
    "object": (lambda: Function(lambda x, y: x), (X, object()), {}, "InvalidArgument",
               ["register_dataclass"]),
    "device": (lambda: nn.Linear(3, 3, device="meta"), (X,), {}, "Unsupported",
               ["'meta'", "weight", "module.to('cpu')"]),
    "input_device": (lambda: nn.Linear(3, 3), (X.to("meta"),), {}, "Unsupported",
                     ["example input [0]", "'meta'"]),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_exported_is_refused_with_advice(case):
    make, args, options, code, parts = case
    module = make() if "training mode" in parts else make().eval()
    with pytest.raises(changeaware.Error) as caught:
        changeaware.export(module, args, **options)
    assert caught.value.code == code, caught.value
    for part in parts:
        assert part in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_torch_export_said_is_the_cause():
    with pytest.raises(changeaware.Error) as caught:
        changeaware.export(Function(branches), (X,))
    assert type(caught.value.__cause__).__name__ == "GuardOnDataDependentSymNode"


def test_a_function_is_refused():
    with pytest.raises(changeaware.Error, match="torch.nn.Module can be exported, not a function"):
        changeaware.export(branches, (X,))


def test_a_write_to_a_copy_is_no_write_to_the_input():
    program = changeaware.export(Function(lambda x: x.clone().mul_(2)), (X,))
    assert torch.equal(program.module()(X), X * 2)
    program = changeaware.export(Function(lambda x: x.double().mul_(2)), (X,))
    assert torch.equal(program.module()(X), X.double() * 2)


def test_a_program_has_its_examples_and_its_dynamic_sizes():
    user, items = user_and_items()
    program = changeaware.export(seeded(TwoTowers), (user,), {"items": items},
                                 dynamic_shapes={"user": {0: Dim("users")}, "items": None})
    (given,), named = program.example_inputs
    assert given is user and named["items"] is items
    sizes = [n.meta["val"].shape for n in program.graph.nodes if n.op == "placeholder"]
    assert not isinstance(sizes[-2][0], int) and isinstance(sizes[-1][0], int)


def test_an_exported_module_can_be_exported_again():
    module = changeaware.export(seeded(TwoTowers), user_and_items()).module()
    assert changeaware.export(module, user_and_items()).graph_signature.user_inputs
