"""The results of a program as JSON text and back: what the oracle says is kept in this form.

Runs on Python 3.7 (the oracle's) and later. Arrays keep their dtype and shape; floats are written so that reading
gives the same number; tuples come back as lists. A golden file holds the results of one program with the version of
TensorFlow that gave them and the program's fingerprint, so that a program that changes afterwards is noticed.
"""

import hashlib
import json

import numpy as np


def to_plain(value):
    """`value` in terms of JSON. Raises TypeError for what a program should not hand over."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value
    if isinstance(value, bytes):
        return {"bytes": value.decode("latin-1")}
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        kind = array.dtype.kind
        if kind in "OSU":
            return {
                "array": "object",
                "shape": list(array.shape),
                "data": [to_plain(v) for v in array.ravel()],
            }
        if kind == "c":
            data = [[v.real, v.imag] for v in array.ravel().tolist()]
        elif kind in "biuf":
            data = array.ravel().tolist()
        else:
            # bfloat16: every one of its numbers is a float32
            data = array.astype(np.float32).ravel().tolist()
        return {"array": array.dtype.name, "shape": list(array.shape), "data": data}
    if isinstance(value, (list, tuple)):
        return [to_plain(v) for v in value]
    if isinstance(value, dict):
        return {"dict": {str(key): to_plain(v) for key, v in value.items()}}
    raise TypeError("a result must be made of arrays, numbers, strings, lists and dicts; got %r" % type(value))


def from_plain(plain):
    """What `to_plain` was given."""
    if isinstance(plain, list):
        return [from_plain(v) for v in plain]
    if not isinstance(plain, dict):
        return plain
    if "bytes" in plain:
        return plain["bytes"].encode("latin-1")
    if "dict" in plain:
        return {key: from_plain(v) for key, v in plain["dict"].items()}
    data, shape = plain["data"], plain["shape"]
    if plain["array"] == "object":
        array = np.empty(len(data), object)
        array[:] = [from_plain(v) for v in data]
    elif plain["array"].startswith("complex"):
        array = np.array([complex(*v) for v in data], plain["array"])
    elif plain["array"] == "bfloat16":
        array = np.array(data, np.float32)
    else:
        array = np.array(data, plain["array"])
    return array.reshape(shape)


def dumps(results):
    """One line a result, so that a change of a golden file is a readable difference."""
    lines = ["%s: %s" % (json.dumps(key), json.dumps(to_plain(results[key]))) for key in sorted(results)]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def loads(text):
    return {key: from_plain(value) for key, value in json.loads(text).items()}


def fingerprint(program):
    """Tells the text of one program from every other."""
    return "sha256:" + hashlib.sha256(program.encode("utf-8")).hexdigest()[:16]


def golden_dumps(results, tensorflow, program):
    """A golden file: the results of `program` (its text) under a version of TensorFlow."""
    about = '"tensorflow": %s,\n"program": %s,\n' % (json.dumps(tensorflow), json.dumps(fingerprint(program)))
    return '{\n%s"results": %s}\n' % (about, dumps(results))


def golden_loads(text):
    """The `tensorflow`, `program` and `results` of a golden file."""
    golden = json.loads(text)
    return dict(golden, results={key: from_plain(value) for key, value in golden["results"].items()})
