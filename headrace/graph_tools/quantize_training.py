"""The rewriting of graphs in messages for training with quantized inputs of products and convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.dtypes import as_dtype, float32, int32, string
from headrace.core.errors import InvalidArgumentError, OutOfRangeError, UnimplementedError
from headrace.messages import protos
from headrace.messages.graph_util import node_name
from headrace.messages.tensor_proto import MakeNdarray, make_tensor_proto
from headrace.util.deprecation import deprecated

if TYPE_CHECKING:
    from headrace.core.dtypes import DType


_QUANTIZED = ("MatMul", "Conv2D")
# The range of what activations give: whether it is signed, and its ends where they are known.
_RANGES: dict[str, tuple[bool, tuple[float, float] | None]] = {
    "Const": (True, None),
    "Variable": (True, None),
    "VariableV2": (True, None),
    "Relu": (False, None),
    "Relu6": (False, (0.0, 6.0)),
    "Sigmoid": (False, (0.0, 1.0)),
    "Tanh": (True, (-1.0, 1.0)),
}
# What gives values in the range of its first input.
_PASSING = ("AvgPool", "AvgPool3D", "ConcatV2", "Identity", "MaxPool", "MaxPool3D", "Reshape")
_UNKNOWN_INPUTS = 2
_DECAY = 0.999


@deprecated(None, "Use tf.contrib.quantize, which rewrites a graph before it is exported.")
def do_quantize_training_on_graphdef(input_graph: protos.GraphDef, num_bits: int) -> protos.GraphDef:
    """Quantizes the inputs of all matrix products and convolutions of a graph, but for those in gradients.

    What has no range by its nature (as what `tf.tanh` gives has) gets one of moving averages of its least and greatest
    values, in new reference variables that have their first values from the first run. A saver in the graph saves and
    restores them too. New programs rather use `tf.contrib.quantize`.

    Args:
        input_graph: a `GraphDef`, which stays as it is.
        num_bits: the number of bits, 1 to 63.

    Returns:
        a new GraphDef.

    Raises:
        OutOfRangeError: for another number of bits.
        UnimplementedError: if more than two inputs come from operations of which nothing is known.
        InvalidArgumentError: if a node has no such input, an input is no float32, or there are several savers or one
            without its node `restore_all`.

    Example:
        >>> quantized = tf.train.do_quantize_training_on_graphdef(sess.graph.as_graph_def(), num_bits=8)
        >>> with tf.Graph().as_default():
        ...     tf.import_graph_def(quantized, name="")
    """
    graph = protos.GraphDef()
    graph.ParseFromString(input_graph.SerializeToString())
    if not 1 <= num_bits <= 63:
        raise OutOfRangeError(None, None, f"num_bits should be in range [1, 63] but is: {num_bits}")
    _Rewriting(graph, num_bits).run()
    return graph


def _const(value: float | Sequence[str], dtype: DType) -> dict[str, Any]:
    tensor = protos.AttrValue(tensor=make_tensor_proto(value, dtype))
    return {"dtype": as_dtype(dtype), "value": tensor}


class _Rewriting:
    """The work on one graph."""

    def __init__(self, graph: protos.GraphDef, num_bits: int) -> None:
        self._graph, self._num_bits = graph, num_bits
        self._nodes = {node.name: node for node in graph.node}
        self._variables: list[str] = []
        self._numbered = 0

    def run(self) -> None:
        """Rewrites the graph."""
        edges = []
        unknown = 0
        for node in self._graph.node:
            if node.op not in _QUANTIZED or node.name.startswith("gradients"):
                continue
            for place in range(2):
                source = self._source(node, place)
                if source.op not in _RANGES and source.op not in _PASSING:
                    if unknown == _UNKNOWN_INPUTS:
                        raise UnimplementedError(
                            None,
                            None,
                            f"Found an unknown op: {source.name} with type: {source.op}; Unknown ops are considered as "
                            f"model input for now and only {_UNKNOWN_INPUTS} inputs are supported currently.",
                        )
                    unknown += 1
                edges.append((node, place))
        quantized: dict[str, str] = {}
        for node, place in edges:
            value = node.input[place]
            if value not in quantized:
                quantized[value] = self._quantize(value, node)
            node.input[place] = quantized[value]
        self._save_variables()

    def _source(self, node: protos.NodeDef, place: int) -> Any:
        data = [name for name in node.input if not name.startswith("^")]
        name = node_name(data[place]) if place < len(data) else ""
        if name not in self._nodes:
            raise InvalidArgumentError(None, None, f"Node '{node.name}': Unknown input node '{name}'")
        return self._nodes[name]

    def _range(self, node: protos.NodeDef) -> tuple[bool, tuple[float, float] | None]:
        """Whether what a node gives is signed, and between what it lies."""
        seen = set()
        while node.op in _PASSING and node.name not in seen:
            seen.add(node.name)
            node = self._source(node, 0)
        return _RANGES.get(node.op, (True, None))

    def _add(self, name: str, op: str, *inputs: str, **attrs: Any) -> str:
        """A new node; `T` and other types are given as they are."""
        unique, count = name, 0
        while unique in self._nodes:
            count += 1
            unique = f"{name}_{count}"
        node = self._graph.node.add(name=unique, op=op)
        node.input.extend(inputs)
        for key, value in attrs.items():
            attr = node.attr[key]
            if isinstance(value, protos.AttrValue):
                attr.CopyFrom(value)
            elif isinstance(value, bool):
                attr.b = value
            elif isinstance(value, int):
                attr.i = value
            elif isinstance(value, str):
                attr.s = value.encode()
            else:
                attr.type = value.as_datatype_enum
        self._nodes[unique] = node
        return unique

    def _quantize(self, value: str, consumer: protos.NodeDef) -> str:
        """The quantized value of a tensor."""
        source, _, index = value.partition(":")
        dtype = as_dtype(consumer.attr["T"].type or float32)
        if dtype != float32:
            raise InvalidArgumentError(
                None,
                None,
                f"Inconsistent values for attr 'T' DT_FLOAT vs. DT_{dtype.name.upper()}: {consumer.name} has inputs "
                "that cannot be quantized.",
            )
        signed, ends = self._range(self._nodes[source])
        name = source if index in ("", "0") else f"{source}_{index}"
        if ends is None:
            low, high = self._averages(name, value)
        else:
            low = self._add(f"{name}/InputMin", "Const", **_const(ends[0], float32))
            high = self._add(f"{name}/InputMax", "Const", **_const(ends[1], float32))
        return self._add(
            f"{name}/QuantizeAndDequantizeV2",
            "QuantizeAndDequantizeV2",
            value,
            low,
            high,
            T=float32,
            num_bits=self._num_bits,
            signed_input=signed,
            range_given=True,
            round_mode="HALF_TO_EVEN",
            narrow_range=False,
        )

    def _averages(self, name: str, value: str) -> tuple[str, str]:
        """The moving averages of the least and the greatest element."""
        decay = self._add(f"{name}/Decay", "Const", **_const(_DECAY, float32))
        axes = f"{name}/ReductionAxes"
        start = self._add(f"{axes}/RangeStart", "Const", **_const(0, int32))
        step = self._add(f"{axes}/RangeDelta", "Const", **_const(1, int32))
        rank = self._add(f"{axes}/InputRank", "Rank", value, T=float32)
        every = self._add(f"{axes}/ReductionAxes", "Range", start, rank, step, Tidx=int32)
        extremes = [
            self._add(f"{name}/{op}", op, value, every, T=float32, Tidx=int32, keep_dims=False) for op in ("Min", "Max")
        ]
        low, high = (self._average(extreme, decay) for extreme in extremes)
        return low, high

    def _average(self, value: str, decay: str) -> str:
        """The moving average of a scalar, which begins with its first value."""
        variable = self._add(
            f"{value}/Variable",
            "VariableV2",
            dtype=float32,
            shape=protos.AttrValue(shape=protos.TensorShapeProto()),
            container="",
            shared_name="",
        )
        self._variables.append(variable)
        there = self._add(f"{value}/IsInitialized", "IsVariableInitialized", variable, dtype=float32)
        switch = self._add(f"{value}/Switch", "Switch", value, there, T=float32)
        one = self._add(f"{value}/EMA/OneConst", "Const", **_const(1.0, float32))
        rest = self._add(f"{value}/EMA/DecayComplement", "Sub", one, decay, T=float32)
        apart = self._add(f"{value}/EMA/ValueDiff", "Sub", variable, f"{switch}:1", T=float32)
        step = self._add(f"{value}/EMA/UpdateValue", "Mul", apart, rest, T=float32)
        moved = self._add(f"{value}/EMA/EMAValue", "Sub", variable, step, T=float32)
        merged = self._add(f"{value}/Merge", "Merge", switch, moved, T=float32, N=2)
        return self._assign(f"{value}/AssignValue", variable, merged)

    def _assign(self, name: str, variable: str, value: str) -> str:
        return self._add(name, "Assign", variable, value, T=float32, validate_shape=True, use_locking=True)

    # ---- savers ----

    def _save_variables(self) -> None:
        """Lets the saver of the graph, if it has one, save and restore the new variables."""
        savers = [node for node in self._graph.node if node.op == "SaveV2"]
        if len(savers) > 1:
            raise InvalidArgumentError(None, None, "Input graph has multiple SaveV2 ops.")
        if not savers or not self._variables:
            return
        (saver,) = savers
        scope = saver.name.rpartition("/")[0]
        restore_all = self._nodes.get(f"{scope}/restore_all")
        if restore_all is None or restore_all.op != "NoOp":
            raise InvalidArgumentError(None, None, "graph has SaveOp, but no restore_all NoOp")
        self._extend(self._source(saver, 1), self._variables)
        self._extend(self._source(saver, 2), [""] * len(self._variables))
        controls = [name for name in saver.input if name.startswith("^")]
        data = [name for name in saver.input if not name.startswith("^")]
        saver.attr["dtypes"].list.type.extend([float32.as_datatype_enum] * len(self._variables))
        restored = [self._restore(scope, saver.input[0], variable) for variable in self._variables]
        before = sorted({*restore_all.input, *(f"^{name}" for name in restored)})
        del restore_all.input[:]
        restore_all.input.extend(before)
        del saver.input[:]
        saver.input.extend([*data, *self._variables, *controls])
        # What it saves comes before it in the message.
        last = protos.NodeDef()
        last.CopyFrom(saver)
        self._graph.node.remove(saver)
        self._graph.node.add().CopyFrom(last)

    def _extend(self, const: protos.NodeDef, more: list[str]) -> None:
        """Adds strings to a constant vector."""
        values = [*MakeNdarray(const.attr["value"].tensor).reshape(-1), *(text.encode() for text in more)]
        const.attr["value"].tensor.CopyFrom(make_tensor_proto(values, string, shape=[len(values)]))

    def _number(self) -> str:
        self._numbered += 1
        return f"_{self._numbered - 1}_qt"

    def _restore(self, scope: str, path: str, variable: str) -> str:
        name = f"{scope}/RestoreV2/{self._number()}"
        names = self._add(f"{name}/tensor_names", "Const", **_const([variable], string))
        slices = self._add(f"{name}/shape_and_slices", "Const", **_const([""], string))
        types = protos.AttrValue()
        types.list.type.append(float32.as_datatype_enum)
        restored = self._add(name, "RestoreV2", path, names, slices, dtypes=types)
        return self._assign(f"{scope}/Assign/{self._number()}", variable, restored)
