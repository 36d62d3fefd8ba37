"""What stops a plan from being made, or a step from being run, is an error of TensorFlow's that names the operation."""

import io

import numpy as np
import pytest

import headrace as tf
from headrace.checkpoints.python_state import NumpyState
from headrace.core.eager import eager_mode
from headrace.core.graph_functions import UndefinedFunctionError
from headrace.core.registry import find, raw
from headrace.messages.node_def import attr_to_proto, node_def_of
from headrace.plan.pipeline import without

PLACE = "test_planning_failures.py"


# ---- every way from a kernel to the user ----


def _x():
    return tf.placeholder(tf.float32, [2], name="x")


def _plain(sess, x, out, tmp_path):
    sess.run(out, {x: [1.0, 2.0]})


def _callable(sess, x, out, tmp_path):
    sess.make_callable(out, [x])([1.0, 2.0])


def _partial(sess, x, out, tmp_path):
    sess.partial_run(sess.partial_run_setup([out], [x]), out, {x: [1.0, 2.0]})


def _traced(sess, x, out, tmp_path):
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    sess.run(out, {x: [1.0, 2.0]}, options=options, run_metadata=tf.RunMetadata())


def _limited(sess, x, out, tmp_path):
    sess.run(out, {x: [1.0, 2.0]}, options=tf.RunOptions(timeout_in_ms=600_000))


def _watched(sess, x, out, tmp_path):
    options = tf.RunOptions()
    url = f"file://{tmp_path}/dump"
    options.debug_options.debug_tensor_watch_opts.add(
        node_name="x", output_slot=0, debug_ops=["DebugIdentity"], debug_urls=[url]
    )
    sess.run(out, {x: [1.0, 2.0]}, options=options)


WAYS = [_plain, _callable, _partial, _traced, _limited, _watched]


def _in_graph(x):
    return tf.lgamma(x, name="failing")


def _in_function(x):
    @tf.contrib.eager.defun
    def body(value):
        return tf.lgamma(value, name="failing")

    return body(x)


def _in_defun(x):
    @tf.python.framework.function.Defun(tf.float32)
    def body(value):
        return tf.lgamma(value, name="failing")

    return body(x)


def _in_branch(x):
    @tf.python.framework.function.Defun(tf.float32)
    def body(value):
        return tf.lgamma(value, name="failing")

    body.add_to_graph(tf.get_default_graph())
    name = body.name
    return raw.If(tf.reduce_sum(x) > 0.0, [x], Tout=[tf.float32], then_branch=name, else_branch=name)[0]


BODIES = [_in_graph, _in_function, _in_defun, _in_branch]

RAISED = [
    (IndexError("list index out of range"), tf.errors.InvalidArgumentError),
    (ValueError("wrong"), tf.errors.InvalidArgumentError),
    (TypeError("wrong"), tf.errors.InvalidArgumentError),
    (OverflowError("too large"), tf.errors.InvalidArgumentError),
    (ZeroDivisionError("division by zero"), tf.errors.InvalidArgumentError),
    (RuntimeError("wrong"), tf.errors.InvalidArgumentError),
    (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), tf.errors.InvalidArgumentError),
    (KeyError("wrong"), tf.errors.UnknownError),
    (AttributeError("wrong"), tf.errors.UnknownError),
    (FileNotFoundError(2, "No such file or directory", "/nowhere"), tf.errors.NotFoundError),
    (PermissionError(13, "Permission denied", "/nowhere"), tf.errors.PermissionDeniedError),
    (MemoryError(), tf.errors.ResourceExhaustedError),
    (RuntimeError("DefaultCPUAllocator: can't allocate memory"), tf.errors.ResourceExhaustedError),
    (RecursionError("maximum recursion depth exceeded"), tf.errors.ResourceExhaustedError),
]


def _raising(error):
    def rule(*_):
        raise error

    return rule


def _check(error, cls, graph_op=True):
    assert type(error) is cls
    assert "failing" in str(error)
    assert PLACE in str(error)
    if graph_op:
        assert error.op.name.endswith("failing")
        assert error.op.type == "Lgamma"
        assert error.node_def.op == "Lgamma"


@pytest.mark.parametrize("when", ["planned", "run"])
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("body", BODIES, ids=lambda body: body.__name__)
def test_ways(monkeypatch, tmp_path, way, body, when):
    rule = _raising(IndexError("list index out of range"))
    monkeypatch.setattr(find("Lgamma"), "kernel_rule", rule if when == "planned" else lambda node: rule)
    # The native runner has no use for kernels.
    with tf.Graph().as_default(), tf.Session() as sess, without("native regions"):
        x = _x()
        out = body(x)
        with pytest.raises(tf.errors.InvalidArgumentError, match="list index out of range") as caught:
            way(sess, x, out, tmp_path)
        _check(caught.value, tf.errors.InvalidArgumentError)
        assert "op Lgamma, node " in caught.value.message
        assert "[[node " in caught.value.message
        # It is told once, by the operation that failed, not by those that call it.
        assert caught.value.message.count("(op ") == 1


@pytest.mark.parametrize(("raised", "cls"), RAISED, ids=lambda item: getattr(item, "__name__", repr(item)[:30]))
@pytest.mark.parametrize("when", ["planned", "run"])
def test_classes(monkeypatch, raised, cls, when):
    rule = _raising(raised)
    monkeypatch.setattr(find("Lgamma"), "kernel_rule", rule if when == "planned" else lambda node: rule)
    with tf.Graph().as_default(), tf.Session() as sess:
        x = _x()
        out = tf.lgamma(x, name="failing")
        with pytest.raises(cls) as caught:
            sess.run(out, {x: [1.0, 2.0]})
        if when == "planned" and isinstance(raised, RecursionError):
            # How deep the graph is has been found out by all of it.
            return
        _check(caught.value, cls)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_missing_kernels_stay_what_they_are(monkeypatch, tmp_path, way):
    monkeypatch.setattr(find("Lgamma"), "kernel_rule", None)
    with tf.Graph().as_default(), tf.Session() as sess:
        x = _x()
        with pytest.raises(NotImplementedError, match="no kernel for op Lgamma"):
            way(sess, x, tf.lgamma(x, name="failing"), tmp_path)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_errors_of_rules_name_the_operation(monkeypatch, tmp_path, way):
    monkeypatch.setattr(
        find("Lgamma"), "kernel_rule", _raising(tf.errors.UnimplementedError(None, None, "not on this device"))
    )
    with tf.Graph().as_default(), tf.Session() as sess:
        x = _x()
        with pytest.raises(tf.errors.UnimplementedError, match="not on this device") as caught:
            way(sess, x, tf.lgamma(x, name="failing"), tmp_path)
        _check(caught.value, tf.errors.UnimplementedError)


@pytest.mark.parametrize("when", ["planned", "run"])
def test_eager_execution(monkeypatch, when):
    rule = _raising(IndexError("list index out of range"))
    monkeypatch.setattr(find("Lgamma"), "kernel_rule", rule if when == "planned" else lambda node: rule)
    # A shape of its own, for which no plan is kept.
    values = np.zeros([1, 3, 1, 7 + (when == "run")], np.float32)
    with (
        eager_mode(),
        pytest.raises(tf.errors.InvalidArgumentError, match=r"list index out of range.*\[Op:Lgamma\]"),
    ):
        tf.lgamma(values)


@pytest.mark.parametrize("when", ["planned", "run"])
def test_traced_functions_called_eagerly(monkeypatch, when):
    rule = _raising(IndexError("list index out of range"))
    monkeypatch.setattr(find("Lgamma"), "kernel_rule", rule if when == "planned" else lambda node: rule)
    with eager_mode():

        @tf.function
        def body(value):
            return tf.lgamma(value, name="failing")

        with pytest.raises(tf.errors.InvalidArgumentError, match="list index out of range") as caught:
            body(tf.constant([1.0, 2.0]))
        assert caught.value.op.name == "failing"
        assert PLACE in str(caught.value)


def test_functions_of_datasets(monkeypatch):
    monkeypatch.setattr(find("Lgamma"), "kernel_rule", _raising(IndexError("list index out of range")))
    with tf.Graph().as_default(), tf.Session() as sess:
        dataset = tf.data.Dataset.from_tensor_slices([1.0, 2.0]).map(lambda value: tf.lgamma(value, name="failing"))
        iterator = dataset.make_initializable_iterator()
        following = iterator.get_next()

        def begin():
            sess.run(iterator.initializer)
            sess.run(following)

        # The function is planned when the iterator begins or when it is asked for the first time.
        with pytest.raises(tf.errors.InvalidArgumentError, match="list index out of range") as caught:
            begin()
        _check(caught.value, tf.errors.InvalidArgumentError)


def test_a_binding_rule_that_fails(monkeypatch):
    # What a constant or a variable is bound to is settled before any kernel is made.
    monkeypatch.setattr(find("VariableV2"), "binding_rule", _raising(MemoryError()))
    with tf.Graph().as_default(), tf.Session() as sess:
        v = raw.VariableV2(shape=[2], dtype=tf.float32, name="failing")
        with pytest.raises(tf.errors.ResourceExhaustedError, match="op VariableV2, node 'failing'") as caught:
            sess.run(tf.identity(v))
        assert caught.value.op.name == "failing"


@pytest.mark.parametrize("many", [False, True])
def test_values_that_are_not_of_the_type_fetched(many):
    with tf.Graph().as_default(), tf.Session() as sess:
        words = tf.data.Dataset.from_tensors("word")
        iterator = raw.Iterator(
            shared_name="", container="", output_types=[tf.float32], output_shapes=[None], name="iterator"
        )
        sess.run(raw.MakeIterator(words._variant_tensor, iterator))
        following = raw.IteratorGetNext(iterator, output_types=[tf.float32], output_shapes=[None], name="following")
        with pytest.raises(tf.errors.InvalidArgumentError, match="mismatch at component 0: expected float") as caught:
            sess.run([following[0], tf.constant(1.0)] if many else following[0])
        assert caught.value.op.name == "following"


# ---- functions ----


def _node(graph_def, name, op, inputs, **attrs):
    node = graph_def.node.add(name=name, op=op, input=inputs)
    declared = find(op).signature.attrs
    for key, value in attrs.items():
        node.attr[key].CopyFrom(attr_to_proto(declared[key].kind, value))
    return node


def _imported(*nodes, inputs=(), library=True, producer=27):
    """A graph of nodes, given as (name, op, inputs, attributes); `inputs` are constants by name."""
    graph_def = tf.GraphDef()
    graph_def.versions.producer = producer
    for name, value in inputs:
        with tf.Graph().as_default():
            made = tf.constant(value, name=name)
            graph_def.node.add().CopyFrom(node_def_of(made.op))
    for name, op, given, attrs in nodes:
        _node(graph_def, name, op, given, **attrs)
    if library:
        function = graph_def.library.function.add()
        function.signature.name = "F"
        function.signature.input_arg.add(name="x", type=1)
        function.signature.output_arg.add(name="y", type=1)
        body = function.node_def.add(name="inside", op="Neg", input=["x"])
        body.attr["T"].type = 1
        function.ret["y"] = "inside:y:0"
    tf.import_graph_def(graph_def, name="")


F32 = [tf.float32]
X = ("x", [1.0, 2.0])
YES = ("yes", True)
ONE = ("one", 1)
# The classes that 1.15.5 raises.
CALLS = {
    "PartitionedCall": (["x"], {"Tin": F32, "Tout": F32, "f": "Nope"}, tf.errors.InvalidArgumentError),
    "StatefulPartitionedCall": (["x"], {"Tin": F32, "Tout": F32, "f": "Nope"}, tf.errors.InvalidArgumentError),
    "RemoteCall": (["where", "x"], {"Tin": F32, "Tout": F32, "f": "Nope"}, tf.errors.NotFoundError),
    "SymbolicGradient": (["x", "x"], {"Tin": F32 * 2, "Tout": F32, "f": "Nope"}, tf.errors.NotFoundError),
    "If": (
        ["yes", "x"],
        {"Tcond": tf.bool, "Tin": F32, "Tout": F32, "then_branch": "F", "else_branch": "Nope"},
        tf.errors.NotFoundError,
    ),
    "StatelessIf": (
        ["yes", "x"],
        {"Tcond": tf.bool, "Tin": F32, "Tout": F32, "then_branch": "Nope", "else_branch": "F"},
        tf.errors.NotFoundError,
    ),
    "While": (["x"], {"T": F32, "cond": "Nope", "body": "F"}, tf.errors.NotFoundError),
    "For": (["one", "one", "one", "x"], {"T": F32, "body": "Nope"}, tf.errors.NotFoundError),
    "MapDefun": (
        ["x"],
        {"Targuments": F32, "output_types": F32, "output_shapes": [()], "f": "Nope"},
        tf.errors.NotFoundError,
    ),
}


@pytest.mark.parametrize("op", CALLS)
def test_functions_that_the_library_lacks(op):
    inputs, attrs, cls = CALLS[op]
    with tf.Graph().as_default(), tf.Session() as sess:
        _imported(("n", op, inputs, attrs), inputs=[X, YES, ONE, ("where", "/cpu:0")])
        with pytest.raises(cls, match="Nope") as caught:
            sess.run("n:0")
        assert caught.value.op.name == "n"
        assert PLACE in str(caught.value)


def test_a_missing_function_is_a_key_error_too():
    error = UndefinedFunctionError(None, None, "Function Nope is not defined.")
    assert isinstance(error, KeyError)
    assert isinstance(error, tf.errors.NotFoundError)
    assert str(error) == "Function Nope is not defined."


@pytest.mark.parametrize(
    ("op", "inputs", "attrs", "cls"),
    [
        ("PartitionedCall", ["x", "x"], {"Tin": F32 * 2, "Tout": F32}, tf.errors.InvalidArgumentError),
        ("RemoteCall", ["where", "x", "x"], {"Tin": F32 * 2, "Tout": F32}, tf.errors.InvalidArgumentError),
        ("PartitionedCall", ["one"], {"Tin": [tf.int32], "Tout": F32}, tf.errors.InvalidArgumentError),
        ("PartitionedCall", ["x"], {"Tin": F32, "Tout": F32 * 2}, tf.errors.InternalError),
        ("PartitionedCall", ["x"], {"Tin": F32, "Tout": [tf.int32]}, tf.errors.InternalError),
    ],
    ids=["too many", "too many elsewhere", "another type", "too many results", "another type of result"],
)
def test_calls_that_do_not_fit_the_function(op, inputs, attrs, cls):
    with tf.Graph().as_default(), tf.Session() as sess:
        _imported(("n", op, inputs, {**attrs, "f": "F"}), inputs=[X, ONE, ("where", "/cpu:0")])
        with pytest.raises(cls) as caught:
            sess.run("n:0")
        assert caught.value.op.name == "n"


# ---- malformed attributes ----

IMAGE = ("x", np.ones([1, 4, 4, 1], np.float32))
VOLUME = ("x", np.ones([1, 4, 4, 4, 1], np.float32))
SAME4 = {"T": tf.float32, "padding": "SAME"}
WINDOWS = [
    ("MaxPoolGrad", ["x", "x", "x"], 4),
    ("MaxPoolGradGrad", ["x", "x", "x"], 4),
    ("AvgPoolGrad", ["sizes", "x"], 4),
    ("MaxPool3DGrad", ["x", "x", "x"], 5),
    ("AvgPool3DGrad", ["sizes", "x"], 5),
]


@pytest.mark.parametrize("which", ["ksize", "strides"])
@pytest.mark.parametrize(("op", "inputs", "rank"), WINDOWS, ids=[window[0] for window in WINDOWS])
def test_windows_of_another_rank(op, inputs, rank, which):
    sizes = {"ksize": [1] * rank, "strides": [1] * rank}
    sizes[which] = [1] * (rank + 1)
    with tf.Graph().as_default(), tf.Session() as sess:
        attrs = {**SAME4, **sizes}
        if op == "MaxPool3DGrad":
            attrs["TInput"] = tf.float32
        given = IMAGE if rank == 4 else VOLUME
        sizes = ("sizes", np.array(given[1].shape, np.int32))

        def run():
            _imported(("n", op, inputs, attrs), inputs=[given, sizes], library=False)
            sess.run("n:0")

        # TensorFlow refuses them when the node is made or when it runs, or ends the process.
        with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=f"{rank} (values|dimensions)"):
            run()


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"strides": [1] * 6}, "'strides' .* must have"),
        ({"dilations": [1, 1]}, "'dilations' .* must have"),
        ({"strides": [1, 0, 1, 1]}, "must be > 0"),
        ({"strides": [2, 1, 1, 1]}, "batch and depth"),
    ],
    ids=["strides", "dilations", "zero", "batch"],
)
@pytest.mark.parametrize("op", ["Conv2DBackpropFilter", "Conv2DBackpropInput", "DepthwiseConv2dNativeBackpropFilter"])
def test_gradients_of_convolutions(op, changed, match):
    with tf.Graph().as_default(), tf.Session() as sess:
        inputs = ["sizes", "w", "x"] if op.endswith("Input") else ["x", "sizes", "x"]
        sizes = [1, 4, 4, 1] if op.endswith("Input") else [2, 2, 1, 1]
        _imported(
            ("n", op, inputs, {**SAME4, "strides": [1] * 4, "dilations": [1] * 4, **changed}),
            inputs=[IMAGE, ("w", np.ones([2, 2, 1, 1], np.float32)), ("sizes", np.array(sizes, np.int32))],
            library=False,
        )
        with pytest.raises(tf.errors.InvalidArgumentError, match=match) as caught:
            sess.run("n:0")
        assert caught.value.op.name == "n"


@pytest.mark.parametrize("changed", [{"strides": [1] * 5}, {"rates": [1] * 5}, {"strides": [1, 0, 1, 1]}])
@pytest.mark.parametrize("op", ["Dilation2DBackpropInput", "Dilation2DBackpropFilter"])
def test_gradients_of_dilations(op, changed):
    with tf.Graph().as_default(), tf.Session() as sess:
        _imported(
            ("n", op, ["x", "w", "x"], {**SAME4, "strides": [1] * 4, "rates": [1] * 4, **changed}),
            inputs=[IMAGE, ("w", np.ones([2, 2, 1], np.float32))],
            library=False,
        )
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"must (have|be)") as caught:
            sess.run("n:0")
        assert caught.value.op.name == "n"


@pytest.mark.parametrize("changed", [{"num_batch_threads": 0}, {"max_batch_size": -1}, {"batch_timeout_micros": -1}])
def test_batches_that_nothing_would_run(changed):
    settings = {"num_batch_threads": 1, "max_batch_size": 4, "batch_timeout_micros": 1, **changed}
    with tf.Graph().as_default(), tf.Session() as sess:
        attrs = {"f": "F", "Tin": F32, "Tcaptured": [], "Tout": F32, **settings}
        _imported(("n", "BatchFunction", ["x"], attrs), inputs=[X])
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"{next(iter(changed))} must be at least") as caught:
            sess.run("n:0")
        assert caught.value.op.name == "n"


SAMPLER = {"num_true": 1, "num_sampled": 1, "unique": False, "range_max": 3}


@pytest.mark.parametrize(
    ("text", "cls"),
    [
        (None, tf.errors.NotFoundError),
        (b"a,x\nb,2\nc,3\n", tf.errors.InvalidArgumentError),
        (b"a,1\nb,2\n", tf.errors.InvalidArgumentError),
    ],
    ids=["no file", "no number", "too few"],
)
def test_vocabularies_of_samplers(tmp_path, text, cls):
    path = tmp_path / "vocabulary"
    if text is not None:
        path.write_bytes(text)
    with tf.Graph().as_default(), tf.Session() as sess:
        made = raw.FixedUnigramCandidateSampler(np.zeros([1, 1], np.int64), vocab_file=str(path), name="n", **SAMPLER)
        with pytest.raises(cls) as caught:
            sess.run(made[0])
        assert caught.value.op.name == "n"


def test_words_of_samplers_are_in_any_encoding(tmp_path):
    path = tmp_path / "vocabulary"
    path.write_bytes(b"\xff\xfe,0\nb,0\nc,5\n")
    with tf.Graph().as_default(), tf.Session() as sess:
        made = raw.FixedUnigramCandidateSampler(np.zeros([1, 1], np.int64), vocab_file=str(path), **SAMPLER)
        assert sess.run(made[0]).tolist() == [2]


# ---- text that is no UTF-8 ----

Q = ("x", b"q")
NO_TEXT = b"\xff\xfe"
# What 1.15.5 gives.
ENCODED = [
    ("StringJoin", ["x", "x"], {"N": 2, "separator": NO_TEXT}, b"q\xff\xfeq"),
    ("ReduceJoin", ["v", "zero"], {"separator": NO_TEXT}, b"q\xff\xfer"),
    ("StringFormat", ["x"], {"T": [tf.string], "template": b"\xff%s\xfe"}, b'\xff"q"\xfe'),
    ("StringFormat", ["x"], {"T": [tf.string], "template": b"a\xffb", "placeholder": b"\xff"}, b'a"q"b'),
]


@pytest.mark.parametrize(("op", "inputs", "attrs", "expected"), ENCODED)
def test_attributes_of_bytes(op, inputs, attrs, expected):
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        _imported(("n", op, inputs, attrs), inputs=[Q, ("v", [b"q", b"r"]), ("zero", 0)], library=False)
        assert sess.run("n:0") == expected
        node = graph.get_operation_by_name("n")
        for key, value in attrs.items():
            if isinstance(value, bytes):
                assert node.get_attr(key) == value
                assert node.node_def.attr[key].s == value


@pytest.mark.parametrize(
    ("op", "attrs"),
    [
        ("PrintV2", {"output_stream": NO_TEXT}),
        ("UnicodeTranscode", {"input_encoding": NO_TEXT, "output_encoding": "UTF-8"}),
        ("StaticRegexFullMatch", {"pattern": NO_TEXT}),
    ],
)
def test_attributes_of_bytes_where_text_is_needed(op, attrs):
    with tf.Graph().as_default(), tf.Session() as sess:
        _imported(("n", op, ["x"], attrs), inputs=[Q], library=False)
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            sess.run("n")
        assert caught.value.op.name == "n"
        str(caught.value).encode()


# ---- references ----

KINDS = {
    "FIFOQueue": {"component_types": F32},
    "RandomShuffleQueue": {"component_types": F32},
    "PaddingFIFOQueue": {"component_types": F32, "shapes": [(None,)]},
    "PriorityQueue": {"component_types": [], "shapes": []},
    "Barrier": {"component_types": F32, "shapes": [(2,)]},
    "ConditionalAccumulator": {"dtype": tf.float32, "shape": (2,)},
    "SparseConditionalAccumulator": {"dtype": tf.float32, "shape": (2,)},
    "HashTable": {"key_dtype": tf.string, "value_dtype": tf.int64},
    "MutableHashTable": {"key_dtype": tf.string, "value_dtype": tf.int64},
}


@pytest.mark.parametrize("op", KINDS)
def test_fetched_references(op):
    with tf.Graph().as_default(), tf.Session() as sess:
        _imported(
            ("own", op, [], KINDS[op]),
            ("named", op, [], {**KINDS[op], "container": "jar", "shared_name": "jam"}),
            library=False,
        )
        container, name = sess.run("own:0")
        assert container == b"localhost"
        assert name.startswith(b"_")
        assert name.endswith(b"_own")
        assert sess.run("own:0").tolist() == [container, name]
        assert sess.run("named:0").tolist() == [b"jar", b"jam"]


def test_fetched_stacks():
    with tf.Graph().as_default(), tf.Session() as sess:
        _imported(("n", "Stack", [], {"elem_type": tf.float32, "stack_name": "pile"}), library=False)
        assert sess.run("n:0").shape == (2,)


def test_fetched_variables_of_text():
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.Variable([b"a", b"b"], use_resource=False)
        sess.run(v.initializer)
        assert sess.run(v._variable).tolist() == [b"a", b"b"]


# ---- control flow ----


@pytest.mark.parametrize("value", [[], [True], [True, False], [[True]]], ids=str)
@pytest.mark.parametrize("op", ["Switch", "RefSwitch"])
@pytest.mark.parametrize("how", ["plain", "traced", "watched"])
def test_predicates_are_scalars(tmp_path, op, value, how):
    with tf.Graph().as_default(), tf.Session() as sess:
        pred = tf.placeholder(tf.bool, name="pred")
        data = tf.Variable([1.0], use_resource=False)
        sess.run(data.initializer)
        if op == "Switch":
            chosen = raw.Switch(tf.constant([1.0]), pred, name="n")[1]
        else:
            chosen = raw.RefSwitch(data._variable, pred, name="n")[1]
        options = None
        if how == "traced":
            options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        elif how == "watched":
            options = tf.RunOptions()
            options.debug_options.debug_tensor_watch_opts.add(
                node_name="n", debug_ops=["DebugIdentity"], debug_urls=[f"file://{tmp_path}/dump"]
            )
        fed = {pred: np.array(value, bool)}
        metadata = tf.RunMetadata()
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"predicate 'pred.*must be a scalar") as caught:
            sess.run(chosen, fed, options=options, run_metadata=metadata)
        assert caught.value.op.name == "n"
        assert sess.run(chosen, {pred: True}).tolist() == [1.0]


@pytest.mark.parametrize("op", ["Exit", "NextIteration"])
@pytest.mark.parametrize("consumed", [False, True])
def test_marks_of_no_loop(op, consumed):
    # 1.15.5 ends the process.
    with tf.Graph().as_default(), tf.Session() as sess:
        _imported(
            ("mark", op, ["x"], {"T": tf.float32}), ("n", "Neg", ["mark"], {"T": tf.float32}), inputs=[X], library=False
        )
        with pytest.raises(tf.errors.InvalidArgumentError, match="part of no loop") as caught:
            sess.run("n:0" if consumed else "mark:0")
        assert caught.value.op.name == "mark"


def test_a_condition_of_no_loop_hands_on_its_input():
    with tf.Graph().as_default(), tf.Session() as sess:
        _imported(("n", "LoopCond", ["yes"], {}), inputs=[YES], library=False)
        assert sess.run("n:0")


# ---- the state of Python objects ----


def _saved(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"junk",
        _saved(np.zeros(3))[:20],
        _saved(np.zeros(3))[:-8],
        _saved(np.zeros(3)).replace(b"(3,)", b"(1, "),
        _saved(np.zeros(3)).replace(b"(3,), }              ", b"(300000000000000,), }"),
        _saved(np.zeros(3)).replace(b"<f8", b"|O8"),
        _saved(np.zeros(3)).replace(b"<f8", b"\xff\xff8"),
    ],
    ids=["nothing", "no array", "half a header", "too short", "no tuple", "too large", "objects", "no type"],
)
def test_damaged_arrays(data):
    state = NumpyState()
    state.seen = np.arange(3.0)
    with pytest.raises(tf.errors.DataLossError, match="damaged"):
        state._lookup_dependency("seen").deserialize(data)
    assert state.seen.tolist() == [0.0, 1.0, 2.0]


def test_arrays_are_read_again():
    state = NumpyState()
    state.seen = np.zeros(1)
    state._lookup_dependency("seen").deserialize(_saved(np.arange(4).reshape(2, 2)))
    assert state.seen.tolist() == [[0, 1], [2, 3]]
