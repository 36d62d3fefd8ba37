"""Public modules made of tables: the mechanism on a package made for the purpose, and Headrace's own root."""

import importlib
import subprocess
import sys
import textwrap

import pytest

import headrace
from headrace.api import internal_paths
from headrace.api.gen_ops import function_name
from headrace.api.lazy import Namespace
from headrace.api.tables import homes_of

FILES = {
    "__init__.py": "from headrace.api.lazy import serve\nserve(__name__)\n",
    "api/__init__.py": "",
    "api/tf.py": """
        HOMES = {"impl.numbers": "one two"}
        SPELLED = {"uno": "impl.numbers.one", "cells": "nn.rnn_cell"}
    """,
    "api/nn.py": """
        HOMES = {"impl.numbers": "three", "nn.dense": "dense"}
        NESTED = {"rnn_cell": {"impl.numbers": "two"}}
        ABSENT = {"gone": "use three"}
    """,
    "api/every.py": "EVERY = 'impl.numbers.BOX nn'",
    "api/contrib/__init__.py": "",
    "api/contrib/slim.py": "HOMES = {'impl.numbers': 'one'}",
    "api/compat.py": "HOMES = {}",
    "impl/__init__.py": "",
    "impl/numbers.py": """
        one, two, three = 1, 2, 3
        class BOX:
            four = 4
    """,
    "nn/__init__.py": "'''The implementation room of the same name.'''",
    "nn/dense.py": "def dense(): return 'function'",
}


@pytest.fixture
def brook(tmp_path, monkeypatch):
    """A package whose public modules are made of tables."""
    for name, text in FILES.items():
        path = tmp_path / "brook" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
    monkeypatch.syspath_prepend(str(tmp_path))
    finders = list(sys.meta_path)
    yield importlib.import_module("brook")
    sys.meta_path[:] = finders
    for name in [n for n in sys.modules if n == "brook" or n.startswith("brook.")]:
        del sys.modules[name]


def test_names_come_from_their_homes_once(brook):
    assert "brook.impl.numbers" not in sys.modules
    assert (brook.one, brook.uno) == (1, 1)
    sys.modules["brook.impl.numbers"].one = 100
    assert brook.one == 1, "a resolved name is an ordinary attribute"


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("import brook.nn; x = brook.nn.three", 3),
        ("from brook.nn import three as x", 3),
        ("import brook.contrib.slim as s; x = s.one", 1),
        ("from brook.contrib import slim; x = slim.one", 1),
        ("import brook; x = brook.contrib.slim.one", 1),
        ("import brook.nn.rnn_cell as c; x = c.two", 2),
        ("import brook.cells as c; x = c.two", 2),
        ("from brook.every import four as x", 4),
        ("from brook.every import three as x", 3),
        ("import brook.compat.v1 as b; x = b.nn.three", 3),
        ("import brook.compat.v1.nn as n; x = n.three", 3),
        ("from brook.nn import *; x = three", 3),
    ],
)
def test_every_form_of_import(brook, statement, value):
    names = {}
    exec(statement, names)
    assert names["x"] == value


def test_one_module_object_under_every_name(brook):
    view = importlib.import_module("brook.compat.v1")
    assert importlib.import_module("brook.compat.v1.nn") is brook.nn is view.nn
    assert brook.cells is brook.nn.rnn_cell
    assert isinstance(brook.nn, Namespace)


def test_an_implementation_module_does_not_hide_the_name_it_defines(brook):
    assert importlib.import_module("brook.nn.dense").dense() == "function"
    assert brook.nn.dense() == "function"
    assert brook.nn.__doc__ == "The implementation room of the same name."


def test_dir_lists_names_and_public_submodules(brook):
    assert {"one", "two", "uno", "cells", "nn", "contrib", "every"} <= set(dir(brook))
    assert "impl" not in dir(brook)
    assert {"three", "dense", "rnn_cell"} <= set(dir(brook.nn))
    assert "slim" in dir(brook.contrib)


def test_a_missing_name_is_named_with_close_spellings_and_the_line_that_uses_it(brook):
    with pytest.raises(AttributeError) as caught:
        _ = brook.nn.thre
    text = str(caught.value)
    assert text.startswith("module 'tensorflow.nn' has no attribute 'thre'; close: three")
    assert "test_public_modules.py:" in text
    assert "brook.nn.thre" in text
    with pytest.raises(AttributeError, match=r"module 'tensorflow\.nn' has no attribute 'gone'; use three"):
        _ = brook.nn.gone
    assert not hasattr(brook, "nothing_like_it")


def test_a_missing_module_is_named(brook):
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'brook\.contrib\.nothing'"):
        importlib.import_module("brook.contrib.nothing")
    with pytest.raises(ModuleNotFoundError, match=r"brook\.python\.ops\.no_such_ops"):
        importlib.import_module("brook.python.ops.no_such_ops")


def test_below_the_folders_of_contrib_are_modules_and_below_those_names():
    from headrace.losses import metric_learning

    assert internal_paths.searched("contrib.slim.python.slim.nets.inception_v1") is not None
    assert internal_paths.searched("contrib.layers.python.layers.layers.no_such_function") is None
    module = importlib.import_module("headrace.contrib.losses.python.metric_learning.metric_loss_ops")
    assert module.pairwise_distance is metric_learning.pairwise_distance
    assert module.npairs_loss is metric_learning.npairs_loss
    with pytest.raises(AttributeError, match="no_such_loss"):
        _ = module.no_such_loss


def test_what_is_put_in_an_internal_module_holds_in_the_implementation(monkeypatch):
    home = importlib.import_module("headrace.summary.writer")
    modules = [importlib.import_module(f"headrace.python.summary.writer.{name}") for name in ("writer", "writer_cache")]
    original = headrace.summary.FileWriter

    def mock():
        pass

    for module in modules:
        monkeypatch.setattr(module, "FileWriter", mock)
        assert home.FileWriter is module.FileWriter is mock
    # What others find under the name is still the class, however late they ask.
    assert importlib.import_module("headrace.python.training.summary_io").FileWriter is original
    headrace.summary.__dict__.pop("FileWriter")
    assert headrace.summary.FileWriter is original
    monkeypatch.undo()
    assert [module.FileWriter for module in [home, *modules]] == [original] * 3
    # Taken away again, as `mock.patch` does with what it did not find in the module itself.
    modules[0].FileWriter = mock
    del modules[0].FileWriter
    assert home.FileWriter is modules[0].FileWriter is original


def test_what_is_put_in_an_internal_module_reaches_all_who_use_it(monkeypatch):
    random_ops = importlib.import_module("headrace.python.ops.random_ops")
    drawn = []

    def draw(*args, original=random_ops.truncated_normal, **kwargs):
        drawn.append(args)
        return original(*args, **kwargs)

    monkeypatch.setattr(random_ops, "truncated_normal", draw)
    initializer = headrace.variance_scaling_initializer(distribution="truncated_normal")
    with headrace.Graph().as_default():
        initializer([3])
        monkeypatch.undo()
        initializer([3])
    assert len(drawn) == 1


def test_numbers_of_internal_modules_are_their_own(monkeypatch):
    module = importlib.import_module("headrace.python.summary.writer.event_file_writer_v2")
    home = importlib.import_module("headrace.summary.writer")
    monkeypatch.setattr(home, "LIMIT", 3, raising=False)
    module.LIMIT = 4
    assert home.LIMIT == 4
    del module.LIMIT
    assert home.LIMIT == 3


def test_internal_modules_look_names_up_where_their_row_says(brook):
    nn_ops = importlib.import_module("brook.python.ops.nn_ops")
    assert (nn_ops.three, nn_ops.one) == (3, 1)
    ops = importlib.import_module("brook.python.ops")
    assert ops.nn_ops is nn_ops
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("brook.python.layers.layers")  # its places, tf.layers, are not there


def test_a_name_has_one_home():
    with pytest.raises(ValueError, match="'a' has two homes: x and y"):
        homes_of({"x": "a b", "y": "a"}, {})
    with pytest.raises(ValueError, match=r"'a' has a home, x, and is a spelling of z\.c too"):
        homes_of({"x": "a b"}, {"a": "z.c"})


def test_importing_headrace_imports_nothing_heavy():
    program = (
        "import headrace, sys\n"
        "heavy = {'torch', 'numpy', 'tensorboard', 'click', 'fissix', 'google', 'headrace.core.graph'}\n"
        "print(*sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_the_root_offers_what_is_under_it():
    assert headrace.float32.name == "float32"
    assert headrace.VERSION == headrace.version.VERSION == "1.15.5"
    assert issubclass(headrace.errors.InvalidArgumentError, headrace.errors.OpError)
    assert headrace.compat.v1.float32 is headrace.float32
    assert headrace.compat.v1.__version__ == "1.15.5"


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("python.framework.ops", "Graph"),
        ("python.framework.ops", "RegisterGradient"),
        ("python.framework.ops", "convert_to_tensor"),
        ("python.framework.dtypes", "float32"),
        ("python.framework.tensor_shape", "Dimension"),
        ("python.framework.errors", "OpError"),
        ("core.framework.graph_pb2", "GraphDef"),
        ("core.framework.types_pb2", "DT_FLOAT"),
        ("core.protobuf.config_pb2", "ConfigProto"),
        ("core.protobuf.saved_model_pb2", "SavedModel"),
        ("core.example.example_pb2", "Example"),
        ("core.example.feature_pb2", "Features"),
    ],
)
def test_internal_modules_of_1_x(module, name):
    assert hasattr(importlib.import_module(f"headrace.{module}"), name)


def test_contrib_implementation_paths_lead_to_the_module_that_published_them():
    assert internal_paths.searched("contrib.layers.python.layers.utils") == (
        "contrib.layers.utils",
        "contrib.layers",
        ".",
    )
    assert internal_paths.searched("python.keras.engine.sequential") == ("keras.engine.sequential",)
    assert internal_paths.searched("python.ops.gen_array_ops") == ("api.gen_ops", ".")
    assert internal_paths.searched("core.graph") is None


@pytest.mark.parametrize(
    ("op_type", "name"),
    [
        ("MatMul", "mat_mul"),
        ("Conv2D", "conv2d"),
        ("Conv2DBackpropInput", "conv2d_backprop_input"),
        ("LRNGrad", "lrn_grad"),
        ("BatchMatMulV2", "batch_mat_mul_v2"),
        ("IsNan", "is_nan"),
        ("L2Loss", "l2_loss"),
        ("IFFT2D", "ifft2d"),
        ("SparseSoftmaxCrossEntropyWithLogits", "sparse_softmax_cross_entropy_with_logits"),
    ],
)
def test_function_names_of_op_types(op_type, name):
    """The right column is what 1.15.5's generated modules call them."""
    assert function_name(op_type) == name
