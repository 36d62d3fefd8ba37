"""Errors of operations that a notebook's cells made, with a shell that stands for IPython's."""

import os
import sys
from types import ModuleType, SimpleNamespace

import pytest

import headrace as tf

SHELL = os.path.join("site-packages", "IPython", "core", "interactiveshell.py")
CELL = "kernel/1234.py"


def run_as(filename, source, **names):
    exec(compile(source, filename, "exec"), names)


@pytest.fixture
def failed(monkeypatch):
    """The error of a step with an operation that the third cell made, in a function that a kernel has called."""
    module = ModuleType("IPython")
    labels = SimpleNamespace(format_code_name=lambda name: ("Cell", "In[3]") if name == CELL else None)
    module.get_ipython = lambda: SimpleNamespace(compile=labels)
    monkeypatch.setitem(sys.modules, "IPython", module)
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None])
        made = {}
        cell = "def model(x):\n    return x + [1.0, 2.0]\n\nmade['y'] = model(x)"
        run_as(SHELL, "run_as(CELL, cell, made=made, x=x)", run_as=run_as, CELL=CELL, cell=cell, made=made, x=x)
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            sess.run(made["y"], {x: [1.0, 2.0, 3.0]})
    return caught.value


def test_cells_have_their_numbers(failed):
    assert "(defined at In[3]:2)" in str(failed)
    assert "made at In[3]:2" in str(failed)
    assert CELL not in str(failed)


def test_the_stack_begins_at_the_cell(failed):
    files = [row[0] for row in failed.op.traceback]
    assert SHELL not in files
    assert files[-2:] == [CELL, CELL]
    assert [row[2] for row in failed.op.traceback][-2:] == ["<module>", "model"]
    assert str(failed).index('File "In[3]", line 4') < str(failed).index('File "In[3]", line 2')
