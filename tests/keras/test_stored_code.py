"""Functions in models: what this process stored comes back, what others stored is refused unless it is allowed."""

from __future__ import annotations

import base64
import marshal

import pytest

from headrace.keras.utils import stored_code
from headrace.keras.utils.generic_utils import func_dump, func_load


def scaled(factor):
    def multiply(x, offset=1):
        return factor * x + offset

    return multiply


def written_elsewhere(source: str) -> str:
    """A function's code as a file would hold it that another process wrote."""
    return base64.encodebytes(marshal.dumps(compile(source, "<model>", "eval"))).decode()


def test_own_code_comes_back():
    stored = func_dump(scaled(3))
    assert isinstance(stored[0], str)
    assert stored[1:] == ((1,), (3,))
    assert func_load(stored)(2) == 7
    assert func_load(list(stored))(2) == 7
    assert func_load(stored[0], stored[1], stored[2])(2, 5) == 11


def test_code_sees_the_names_it_is_given():
    stored = func_dump(lambda x: x + one)  # noqa: F821  it is given to `func_load`
    assert func_load(stored, globs={"one": 1})(2) == 3
    with pytest.raises(NameError):
        func_load(stored)(2)


def test_code_of_others_is_refused_and_not_read(monkeypatch):
    def read(data):
        raise AssertionError("read")

    monkeypatch.setattr(stored_code.marshal, "loads", read)
    with pytest.raises(ValueError, match="allow_code_in_models"):
        func_load(written_elsewhere("40 + 2"))


def test_code_of_others_runs_where_it_is_allowed():
    code = written_elsewhere("40 + 2 + 1")
    with stored_code.code_in_models():
        assert func_load(code)() == 43
    with pytest.raises(ValueError, match="Lambda"):
        func_load(code)
    stored_code.allow_code_in_models()
    try:
        assert func_load(code)() == 43
    finally:
        stored_code.allow_code_in_models(False)


@pytest.mark.parametrize("data", [b"", b"\xff\x00", marshal.dumps(3)], ids=["nothing", "damaged", "a number"])
def test_what_is_no_code_raises_a_value_error(data):
    with stored_code.code_in_models(), pytest.raises(ValueError, match="model"):
        func_load(base64.encodebytes(data).decode())
