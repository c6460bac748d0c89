"""An ONNX graph in which what only some outputs need is computed on demand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

SUFFIX = "/asked"  # of the names inside the branch, which must differ from those of its outputs


def compute_on_demand(file: Path, first: str, switch: str) -> None:
    """Put all that the first output of a graph does without behind a switch, an input that is true if it is left out.

    Where it is false, the other outputs are empty.
    """
    import onnx
    from onnx import helper

    model = onnx.load(str(file))
    graph = model.graph
    always = _needed(graph, first)
    demanded = [node for node in graph.node if not always & set(node.output)]
    others = [put for put in graph.output if put.name != first]
    if not others:
        return
    renamed = {put.name: put.name + SUFFIX for put in others}
    for node in demanded:
        node.input[:] = [renamed.get(name, name) for name in node.input]
        node.output[:] = [renamed.get(name, name) for name in node.output]
    results = [_renamed(put, renamed[put.name]) for put in others]
    empty = helper.make_tensor("empty", onnx.TensorProto.FLOAT, [0, 0, 0], [])
    nothing = [put.name + "/empty" for put in others]
    constants = [helper.make_node("Constant", [], [name], value=empty) for name in nothing]
    branch = helper.make_node(
        "If",
        [switch],
        [put.name for put in others],
        then_branch=helper.make_graph(demanded, "asked", [], results),
        else_branch=helper.make_graph(
            constants, "not_asked", [], [_renamed(put, name) for put, name in zip(others, nothing, strict=True)]
        ),
    )
    kept = [node for node in graph.node if always & set(node.output)]
    del graph.node[:]
    graph.node.extend([*kept, branch])
    graph.input.append(helper.make_tensor_value_info(switch, onnx.TensorProto.BOOL, []))
    graph.initializer.append(helper.make_tensor(switch, onnx.TensorProto.BOOL, [], [True]))
    onnx.save(model, str(file))


def _needed(graph: Any, output: str) -> set[str]:
    """Name all that is computed on the way to an output."""
    maker = {name: node for node in graph.node for name in node.output}
    needed: set[str] = set()
    waiting = [output]
    while waiting:
        name = waiting.pop()
        if name in maker and name not in needed:
            needed |= set(maker[name].output)
            waiting += [*maker[name].input, *_outer_inputs(maker[name])]
    return needed


def _outer_inputs(node: Any) -> list[str]:
    """Name what the branches and loops of a node read, which may come from outside."""
    graphs = [attribute.g for attribute in node.attribute if attribute.HasField("g")]
    inner = [inside for graph in graphs for inside in graph.node]
    return [name for inside in inner for name in (*inside.input, *_outer_inputs(inside))]


def _renamed(put: Any, name: str) -> Any:
    from onnx import TensorProto, helper

    return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", f"{name}/word", "class"])
