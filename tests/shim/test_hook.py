"""`import tensorflow` in a process that asked for Headrace."""

import subprocess
import sys

import pytest


def run(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)


def test_installing_is_idempotent_and_works_before_and_after():
    done = run(
        "import headrace, sys\n"
        "nn = headrace.nn\n"
        "tf = headrace.install_as_tensorflow()\n"
        "assert headrace.install_as_tensorflow() is tf\n"
        "import tensorflow, tensorflow.nn, tensorflow.errors as errors\n"
        "assert tensorflow is tf and tensorflow.nn is nn and errors is headrace.errors\n"
        "assert tensorflow.compat.v1 is tf\n"
        "assert sum(type(f).__name__ == 'TensorFlowFinder' for f in sys.meta_path) == 1\n"
        "import headrace.core.graph, tensorflow.core.graph\n"
        "assert sys.modules['tensorflow.core.graph'] is headrace.core.graph\n"
    )
    assert done.returncode == 0, done.stderr


def test_another_tensorflow_in_the_process_is_refused():
    done = run(
        "import sys, types, headrace\n"
        "other = types.ModuleType('tensorflow'); other.__file__ = '/opt/tensorflow/__init__.py'\n"
        "sys.modules['tensorflow'] = other\n"
        "headrace.install_as_tensorflow()\n"
    )
    assert "ImportError: Another tensorflow is imported already (from /opt/tensorflow/__init__.py)" in done.stderr
    assert "before anything imports tensorflow" in done.stderr


def test_names_set_on_tensorflow_stay_there():
    done = run(
        "import headrace; tf = headrace.install_as_tensorflow()\n"
        "tf.mine = 1\n"
        "import tensorflow\n"
        "assert tensorflow.mine == 1 and not hasattr(headrace, 'mine')\n"
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["tensorflow.erors", "tensorflow.nn.no_such_thing"])
def test_a_missing_module_is_named_as_the_program_spells_it(name):
    done = run(f"import headrace; headrace.install_as_tensorflow()\nimport {name}\n")
    assert f"ModuleNotFoundError: No module named '{name}'" in done.stderr


def test_a_missing_name_of_a_from_import_is_an_import_error():
    done = run("import headrace; headrace.install_as_tensorflow()\nfrom tensorflow import no_such_name\n")
    assert "ImportError: cannot import name 'no_such_name' from 'tensorflow'" in done.stderr
