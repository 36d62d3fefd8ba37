"""The vocabulary of native programs: what each instruction is given, and what it makes.

A row names the inputs, the meaning of `ints` and `floats`, and the types. All broadcasting is NumPy's, negative axes count
from the end. Sizes among the ints are numbers, codes of `Builder.dim`, or -1 where a row says what that means. A code of
`Builder.contents` stands for all ints that are in a value.

| mark | meaning |
| --- | --- |
| `a b` | two inputs |
| `a?` | may be left out |
| `a*` | one or more of this kind |
| `-> out` | one result of the type of the first input of type T |
| `-> out: bool` | a result of this type |
| `-> out: @1` | a result whose type is the code in `ints[1]` |
| `-> outs*` | a result for each input, of its type |

Types are `T` (one of the row's `types`, the same for all inputs that have no other), `index` (int32 or int64), or a type.

Views cost nothing when a program runs. An instruction that writes (`writes` > 0) has its first inputs in buffers, or in views
of buffers, and each of its results is one of these after the write: the same memory under a new id. Instructions run in
the order in which they were applied. A view of a buffer taken before a write sees the write; who wants the value from before
applies `copy` first.

Loops and branches are runs of instructions between markers, which may lie in one another. What is between them may use
values from before; after the end only what the end gives is there.

```
vars  = loop_begin(initial values)      x = branch_begin(predicate)
...     instructions of the condition   ... instructions of the first branch
        loop_test(predicate)                branch_else(its values)
...     instructions of the body        ... instructions of the second
final = loop_end(next values)           y = branch_end(its values)
```

A loop's variables keep their sizes, and branches give values of the same sizes; where they do not, `run` answers None.

An instruction with `fails` may stop a run: `program.RegionFailure` says which.
"""

from __future__ import annotations

from dataclasses import dataclass

# The codes of types, as ints give them and as the runner counts them.
DTYPES = ("float32", "float64", "int32", "int64", "bool", "uint8")
DTYPE_CODES = {name: code for code, name in enumerate(DTYPES)}

FLOAT = ("float32", "float64")
NUMBER = ("float32", "float64", "int32", "int64")
INTEGER = ("int32", "int64")
BOOL = ("bool",)
PLAIN = ("float32", "float64", "int32", "int64", "bool")
ANY = DTYPES


@dataclass(frozen=True)
class Instruction:
    """A row of the vocabulary.

    Attributes:
        name: its name.
        inputs: the names of its inputs, with marks as above; `x:index` has another type than T.
        results: the names of its results, with their types.
        types: what T may be.
        ints: what the integers mean.
        floats: what the numbers mean.
        writes: how many of the first inputs it writes in place.
        fails: when it stops a run.
        view: whether it makes a view where strides can say it.
    """

    name: str
    inputs: str
    results: str
    types: tuple[str, ...]
    ints: str = ""
    floats: str = ""
    writes: int = 0
    fails: str = ""
    view: bool = False


def _view(name: str, inputs: str, ints: str = "") -> Instruction:
    return Instruction(name, inputs, "out", ANY, ints, view=True)


_VIEWS = [
    _view("reshape", "a", "sizes; one may be -1"),
    _view("reshape_like", "a like:any"),
    _view("transpose", "a", "the permutation"),
    # A begin counts from the front, or from the end if negative; a size -1 goes as far as there is something, and begin is
    # then clipped as Python does. The stride may be negative: begin is then where it starts.
    _view("slice", "a", "begin of each axis, then size of each axis, then stride of each axis"),
    # As Python's `a[begin:end:stride]` along one axis, of whatever size it is.
    _view("slice_range", "a", "axis, begin, end, stride, then 1 where begin or end is open, else 0"),
    _view("broadcast_to", "a", "sizes"),
    _view("broadcast_like", "a like:any"),
    _view("expand_dims", "a", "where the new axis is"),
    _view("squeeze", "a", "axes; none: all of size 1"),
    _view("reverse", "a", "axes"),
    # More is left to the operations one by one.
    _view("at_most", "a", "the largest size of the first axis"),
]

# fmt: off
_FLOAT_UNARY = [
    "sqrt", "rsqrt", "exp", "expm1", "log", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh",
    "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "sigmoid", "softplus", "softsign", "elu", "selu", "floor",
    "ceil", "rint", "reciprocal", "lgamma",
]
# fmt: on

_UNARY = [
    *(Instruction(name, "a", "out", NUMBER) for name in ("neg", "abs", "sign", "square", "relu", "relu6")),
    *(Instruction(name, "a", "out", FLOAT) for name in _FLOAT_UNARY),
    Instruction("leaky_relu", "a", "out", FLOAT, floats="the slope below 0"),
    Instruction("logical_not", "a", "out", BOOL),
    *(Instruction(name, "a", "out: bool", FLOAT) for name in ("is_nan", "is_inf", "is_finite")),
    Instruction("copy", "a", "out", ANY),
    # Floats to integers as C converts, what does not fit as the processor says it; to bool: not 0.
    Instruction("cast", "a", "out: @0", ANY, ints="the type to make"),
]

_BINARY = [
    *(
        Instruction(name, "a b", "out", NUMBER)
        for name in ["add", "sub", "mul", "maximum", "minimum", "squared_difference"]
    ),
    Instruction("div", "a b", "out", FLOAT),
    *(
        Instruction(name, "a b", "out", NUMBER, fails="an integer is divided by 0")
        for name in ["floordiv", "floormod", "truncatediv", "truncatemod"]
    ),
    Instruction("div_no_nan", "a b", "out", FLOAT),
    Instruction("pow", "a b", "out", NUMBER, fails="an integer is raised to a negative power"),
    *(Instruction(name, "a b", "out", FLOAT) for name in ["atan2", "xdivy", "xlogy"]),
    *(Instruction(name, "a b", "out: bool", NUMBER) for name in ["less", "less_equal", "greater", "greater_equal"]),
    *(Instruction(name, "a b", "out: bool", PLAIN) for name in ["equal", "not_equal"]),
    *(Instruction(name, "a b", "out", BOOL) for name in ["logical_and", "logical_or", "logical_xor"]),
]

# Each is TensorFlow's op of that name: `y` is a result of the forward op, `x` its input, `dy` the gradient.
_GRADIENTS = [
    *(Instruction(f"{name}_grad", "y dy", "out", FLOAT) for name in ["sigmoid", "tanh", "sqrt", "rsqrt", "reciprocal"]),
    *(Instruction(f"{name}_grad", "dy x", "out", FLOAT) for name in ["relu", "relu6", "softplus", "softsign"]),
    *(Instruction(f"{name}_grad", "dy y", "out", FLOAT) for name in ["elu", "selu"]),
    Instruction("leaky_relu_grad", "dy x", "out", FLOAT, floats="the slope below 0"),
]

_ELEMENTWISE = [
    Instruction("select", "c:bool a b", "out", ANY),
    # max(min(x, hi), lo), and NaN where x is.
    Instruction("clip", "x lo hi", "out", NUMBER),
    # Added from the left; broadcasts.
    Instruction("add_n", "a*", "out", NUMBER),
    Instruction("fill", "value", "out", ANY, ints="sizes"),
    Instruction("zeros_like", "a", "out", ANY),
    Instruction("ones_like", "a", "out", ANY),
]


def _reduction(name: str, types: tuple[str, ...]) -> Instruction:
    return Instruction(
        name, "a", "out", types, ints="1 to keep dims of size 1 else 0, then axes; no axes: nothing is reduced"
    )


_REDUCTIONS = [
    *(_reduction(name, NUMBER) for name in ("sum", "mean", "prod", "max", "min")),
    *(_reduction(name, BOOL) for name in ("all", "any")),
    Instruction("argmax", "a", "out: @1", NUMBER, ints="axis, type of the result (int32, int64)"),
    Instruction("argmin", "a", "out: @1", NUMBER, ints="axis, type of the result (int32, int64)"),
    # Back to the dims of `like`, which broadcast to those of a: what a broadcast's gradient is.
    Instruction("sum_like", "a like:any", "out", NUMBER),
    Instruction("l2_loss", "a", "out", FLOAT),
]

# Over the last axis, whatever the rank.
_ROWS = [
    Instruction("softmax", "a", "out", FLOAT),
    Instruction("log_softmax", "a", "out", FLOAT),
    Instruction("softmax_cross_entropy", "logits labels", "loss backprop", FLOAT),
    Instruction(
        "sparse_softmax_cross_entropy", "logits labels:index", "loss backprop", FLOAT, fails="a label is out of range"
    ),
    # TensorFlow's op CTCLoss.
    Instruction(
        "ctc_loss",
        "logits indices:int64 values:int32 lengths:int32",
        "loss gradient",
        FLOAT,
        ints="1 if equal labels that follow one another are made one + 2 if they are in paths + 4 if too long sequences give 0",
        fails="a label or a length is refused",
    ),
    # Element-wise: max(x, 0) - x * z + log1p(exp(-|x|)).
    Instruction("sigmoid_cross_entropy", "logits labels", "loss", FLOAT),
]

_PRODUCTS = [
    # Matrices. A bias is a vector, added to each row.
    Instruction("matmul", "a b bias?", "out", FLOAT, ints="1 if a is transposed else 0, the same of b"),
    # Matrices in the last two axes; the axes before them broadcast.
    Instruction("batch_matmul", "a b", "out", FLOAT, ints="1 if a's matrices are transposed else 0, the same of b"),
    # Of each square matrix in the last two axes.
    Instruction("cholesky", "a", "out", FLOAT, fails="a matrix is not positive definite"),
    Instruction("matrix_inverse", "a", "out", FLOAT, ints="1 if a is transposed else 0", fails="a matrix is singular"),
    Instruction("matrix_solve", "a b", "out", FLOAT, ints="1 if a is transposed else 0", fails="a matrix is singular"),
    Instruction(
        "triangular_solve",
        "a b",
        "out",
        FLOAT,
        ints="1 if a is transposed else 0, 1 if its lower triangle counts else 0",
        fails="a matrix is singular",
    ),
]

_MOVEMENT = [
    Instruction(
        "gather", "params indices:index", "out", ANY, ints="axis, batch dims", fails="an index is out of range"
    ),
    Instruction("gather_nd", "params indices:index", "out", ANY, fails="an index is out of range"),
    # Of each sequence as many steps as its length says come backwards; the others stay.
    Instruction(
        "reverse_sequence",
        "a lengths:index",
        "out",
        ANY,
        ints="axis of steps, of sequences",
        fails="a length is refused",
    ),
    # ids of any rank, the first axes of data; negative ids are left out.
    Instruction(
        "unsorted_segment_sum",
        "data ids:index",
        "out",
        NUMBER,
        ints="rows of the result",
        fails="an id is out of range",
    ),
    # A tensor of zeros to which rows are added; duplicates add.
    Instruction("scatter_rows", "data ids:index", "out", NUMBER, ints="rows", fails="a row is out of range"),
    # The last axis of indices names places in the result; duplicates add.
    Instruction("scatter_nd", "updates indices:index", "out", NUMBER, ints="sizes", fails="an index is out of range"),
    Instruction("one_hot", "on off indices:index", "out", ANY, ints="axis, depth"),
    Instruction("concat", "a*", "out", ANY, ints="axis"),
    Instruction("stack", "a*", "out", ANY, ints="axis"),
    Instruction("pad", "a value", "out", ANY, ints="before and after of the first axis, then of the next ..."),
    Instruction(
        "mirror_pad", "a", "out", ANY, ints="1 if the edge is left out (REFLECT) else 0, before and after of each"
    ),
    Instruction("tile", "a", "out", ANY, ints="multiples"),
    # start + delta * i
    Instruction("range", "start delta", "out", NUMBER, ints="how many"),
    Instruction("cumsum", "a", "out", NUMBER, ints="axis, 1 if exclusive else 0, 1 if reversed else 0"),
    Instruction("cumprod", "a", "out", NUMBER, ints="axis, 1 if exclusive else 0, 1 if reversed else 0"),
    Instruction("in_top_k", "predictions targets:index", "out: bool", FLOAT, ints="k"),
    Instruction("top_k", "a", "values indices: int32", NUMBER, ints="k", fails="k is more than the last size"),
    # The sizes of a as a vector, and their product.
    Instruction("shape_of", "a", "out: @0", ANY, ints="type of the result (int32, int64)"),
    Instruction("size_of", "a", "out: @0", ANY, ints="type of the result (int32, int64)"),
]

_ADAM = "beta1_power beta2_power lr beta1 beta2 epsilon"

# Scalars are inputs of rank 0. The formulas are those of headrace/kernels/train/formulas.py.
_UPDATES = [
    *(Instruction(name, "buffer value", "out", ANY, writes=1) for name in ("assign",)),
    *(Instruction(name, "buffer value", "out", NUMBER, writes=1) for name in ("assign_add", "assign_sub")),
    Instruction("apply_gradient_descent", "var alpha delta", "out", FLOAT, writes=1),
    Instruction(
        "apply_momentum", "var accum lr grad momentum", "out accum", FLOAT, ints="1 if Nesterov's else 0", writes=2
    ),
    Instruction(
        "apply_keras_momentum",
        "var accum lr grad momentum",
        "out accum",
        FLOAT,
        ints="1 if Nesterov's else 0",
        writes=2,
    ),
    Instruction("apply_adam", f"var m v {_ADAM} grad", "out m v", FLOAT, ints="1 if Nesterov's else 0", writes=3),
    Instruction(
        "apply_adagrad", "var accum lr grad", "out accum", FLOAT, ints="1 if accum is updated else 0", writes=2
    ),
    Instruction(
        "apply_adagrad_v2",
        "var accum lr epsilon grad",
        "out accum",
        FLOAT,
        ints="1 if accum is updated else 0",
        writes=2,
    ),
    Instruction("apply_rmsprop", "var ms mom lr rho momentum epsilon grad", "out ms mom", FLOAT, writes=3),
    Instruction("scatter_add", "buffer ids:index updates", "out", NUMBER, writes=1, fails="a row is out of range"),
    Instruction("scatter_sub", "buffer ids:index updates", "out", NUMBER, writes=1, fails="a row is out of range"),
    Instruction("scatter_update", "buffer ids:index updates", "out", ANY, writes=1, fails="a row is out of range"),
    Instruction(
        "sparse_apply_gradient_descent",
        "var alpha delta ids:index",
        "out",
        FLOAT,
        writes=1,
        fails="a row is out of range",
    ),
    Instruction(
        "sparse_apply_momentum",
        "var accum lr grad momentum ids:index",
        "out accum",
        FLOAT,
        ints="1 if Nesterov's else 0",
        writes=2,
        fails="a row is out of range",
    ),
    Instruction(
        "sparse_apply_adagrad",
        "var accum lr grad ids:index",
        "out accum",
        FLOAT,
        ints="1 if accum is updated else 0",
        writes=2,
        fails="a row is out of range",
    ),
]

# What the tail of a step of an LSTM computes (`_LSTMTail` and its gradient of plan/fusions/lstm.py, the same inputs and results).
_CELLS = [
    Instruction("lstm_pointwise", "gates c_before", "i j f o c tc h", FLOAT, floats="forget bias"),
    Instruction(
        "lstm_pointwise_grad",
        "dh dc_after i j f o c_before tc",
        "gates dc c_before_grad",
        FLOAT,
        ints="1 if dc_after counts else 0",
    ),
]

# `place` is where in the op's stream of random blocks the request begins: int64 [3] of key, high and position (the fields of
# headrace.kernels.random.philox.Philox, modulo 2**64). The position moves on past what the request has reserved.
_RANDOM = [
    Instruction("random_uniform", "place:int64", "out: @0", FLOAT, ints="type of the result (floats), sizes"),
    Instruction("random_normal", "place:int64", "out: @0", FLOAT, ints="type of the result (floats), sizes"),
    Instruction("truncated_normal", "place:int64", "out: @0", FLOAT, ints="type of the result (floats), sizes"),
    Instruction(
        "random_uniform_int", "place:int64 low high", "out", INTEGER, ints="sizes", fails="low is not below high"
    ),
    # Samples of each row of logits.
    Instruction(
        "multinomial",
        "place:int64 logits",
        "out: @0",
        FLOAT,
        ints="type of the result (int32, int64), how many samples",
    ),
    # Where the numbers of stateless ops begin.
    Instruction("place_of_seeds", "seeds", "place: int64", INTEGER),
]

_FLOW = [
    Instruction("loop_begin", "initial:any*", "variables*", ANY),
    Instruction("loop_test", "predicate:bool", "", BOOL),
    Instruction("loop_end", "next:any*", "final*", ANY),
    Instruction("branch_begin", "predicate:bool", "", BOOL),
    Instruction("branch_else", "values:any*", "", ANY),
    Instruction("branch_end", "values:any*", "results*", ANY),
]

# Lists of rows of equal sizes, which live for one run: TensorArrays and stacks. A list is a value only here, and none that
# leaves a program or goes round a loop; the instructions on it run in their order.
_LISTS = [
    Instruction(
        "list_begin",
        "count:index",
        "list: @0",
        ANY,
        ints="type of rows, 1 if writing makes it longer + 2 if reading clears a row + 4 if rows written twice add up "
        "+ 8 if those written last stay; then perhaps 1 and the sizes of a row, -1 where unknown",
        fails="the count is negative",
    ),
    # The list for the gradients of another, of the same length, the same for the same number; its rows add up.
    Instruction("list_gradient", "list", "gradients", ANY, ints="a number"),
    Instruction("list_write", "list index:index row", "", ANY, fails="there is no such row, or it was written"),
    Instruction("list_scatter", "list indices:index rows", "", ANY, fails="there is no such row, or it was written"),
    # Zeros where nothing was written and the sizes of a row are told, or are those of a row of what it is the gradient of.
    Instruction("list_read", "list index:index", "row", ANY, fails="there is no such row, or nothing in it"),
    Instruction(
        "list_gather",
        "list indices:index",
        "rows",
        ANY,
        ints="1 if there may be no indices, though the list was not told the sizes of rows",
        fails="there is no such row, or nothing in it",
    ),
    Instruction("list_push", "list row", "", ANY, fails="there are too many rows"),
    Instruction("list_pop", "list", "row", ANY, fails="there is no row"),
    Instruction("list_size", "list", "count: int32", ANY),
]

# What is in small values of integers may say how others are laid out: see `Builder.contents`. Where it does not follow from
# sizes, a run tells it, and the rest is planned then, which cannot be inside of a loop or branch.
_CONTENTS = [
    # Makes the contents known before a loop that needs them.
    Instruction("ask", "value:index", "", INTEGER),
    Instruction("not_negative", "value:index", "", INTEGER),
    # TensorFlow's op of that name.
    Instruction("broadcast_args", "s0 s1", "out", INTEGER),
    Instruction("broadcast_gradient_args", "s0 s1", "r0 r1", INTEGER),
    Instruction("assert_true", "condition:bool", "", BOOL, fails="the condition does not hold"),
]

VOCABULARY: dict[str, Instruction] = {
    row.name: row
    for rows in (
        _VIEWS,
        _UNARY,
        _BINARY,
        _GRADIENTS,
        _ELEMENTWISE,
        _REDUCTIONS,
        _ROWS,
        _PRODUCTS,
        _MOVEMENT,
        _UPDATES,
        _CELLS,
        _RANDOM,
        _FLOW,
        _LISTS,
        _CONTENTS,
    )
    for row in rows
}
