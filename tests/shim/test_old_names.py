"""The runner gives a program the names that NumPy and Python have dropped."""

import subprocess
import sys
import textwrap

PROGRAM = """
import collections, fractions, inspect, time
import numpy as np
import tensorflow as tf

assert np.zeros(2, np.float).dtype == np.float64
assert np.array([1, 2], dtype=np.int).dtype.kind == "i"
assert np.array([1], np.object).dtype == object and np.Inf > 1 and np.product([2, 3]) == 6
assert np.array([1, 2], np.uint8).tostring() == b"\\x01\\x02"
assert np.float32(0).tostring() == bytes(4)
assert np.int0([3.7, -1.2]).tolist() == [3, -1] and np.math.factorial(4) == 24 and np.bool8(1) is np.True_
assert np.cast["float32"]([1, 2]).dtype == np.cast[np.float32](1).dtype == np.float32
assert np.find_common_type([np.int64, np.float32], []) == np.float64 and np.issubsctype(np.float32, np.floating)
assert np.float32 in np.sctypes["float"] and np.typeDict["float32"] is np.float32 and np.nbytes[np.int16] == 2
assert np.issctype(np.int8) and not np.issctype(3) and np.obj2sctype("x", 5) == 5 and np.sctype2char(float) == "d"
changed = np.arange(6).reshape(2, 3)
changed.itemset((1, 2), 9)
changed.itemset(0, 7)
assert changed.tolist() == [[7, 1, 2], [3, 4, 9]] and changed.ptp() == 8 and changed.ptp(axis=0).tolist() == [4, 3, 7]
assert np.array([1], np.int16).newbyteorder().tolist() == [256]
assert isinstance({}, collections.Mapping) and collections.Iterable
assert inspect.getargspec(lambda a, b=1: a).defaults == (1,)
assert time.clock() >= 0 and fractions.gcd(4, 6) == 2
print(tf.Session().run(tf.constant(np.ones(2, np.float))))
"""


def test_programs_find_the_old_names(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(PROGRAM))
    done = subprocess.run([sys.executable, "-m", "headrace", str(program)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[1. 1.]\n"


def test_programs_print_scalars_as_they_did(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import tensorflow as tf\n"
        "import numpy as np\n"
        "losses = list(tf.Session().run([tf.constant(0.5), tf.constant(2)]))\n"
        "np.set_printoptions(precision=2)\n"
        "print(losses, {'loss': losses[0]}, (np.bool_(True),), np.array([0.125]))\n"
    )
    done = subprocess.run([sys.executable, "-m", "headrace", str(program)], capture_output=True, text=True, check=True)
    assert done.stdout == "[0.5, 2] {'loss': 0.5} (True,) [0.12]\n"


def test_an_array_of_one_element_is_a_number(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import tensorflow as tf\n"
        "loss = tf.Session().run(tf.constant([0.5]))\n"
        "print('%.1f' % loss, float(loss), int(loss))\n"
    )
    done = subprocess.run([sys.executable, "-m", "headrace", str(program)], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("0.5 0.5 0\n", "")


def test_arrays_are_made_as_they_were(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import inspect\n"
        "import numpy as np\n"
        "import tensorflow as tf\n"
        "held = np.zeros(3)\n"
        "print(np.array(held, copy=False) is held, np.array(2, copy=False), np.array([1, 2], 'f', False).dtype)\n"
        "print(np.array(held, copy=np._CopyMode.IF_NEEDED) is held, np.array(held, copy=True) is held)\n"
        "sentences = np.array([[1, 2], [3]])\n"
        "print(sentences.dtype, sentences.shape, np.asarray([[1], []]).dtype, np.array(held, ndmin=2).shape)\n"
        "for rows in ('f', [[1, 2], [3]]), (None, ['a', ['b', 'c'], {}]), (None, [[1, 2], [3, 4]]):\n"
        "    try:\n"
        "        print(np.array(rows[1], rows[0]).dtype)\n"
        "    except ValueError:\n"
        "        print('refused')\n"
        "try:\n"
        "    tf.constant([[1, 2], [3]])\n"
        "except ValueError:\n"
        "    print('not a tensor')\n"
        "print(inspect.getargspec(tf.train.exponential_decay).varargs, inspect.getargspec(tf.nn.moments).args[:2])\n"
    )
    done = subprocess.run([sys.executable, "-m", "headrace", str(program)], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "True 2 float32",
        "True False",
        "object (2,) object (1, 3)",
        "refused",
        "object",
        "int64",
        "not a tensor",
        "args ['x', 'axes']",
    ]


def test_the_library_alone_changes_nothing():
    code = (
        "import numpy as np, headrace; headrace.Session; "
        "print(hasattr(np, 'float'), hasattr(np, 'Inf'), np.get_printoptions()['legacy'], hasattr(np.array, '__wrapped__'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False False False False\n"
