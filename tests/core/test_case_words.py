"""What a declaration says of its cases is checked where it stands."""

from __future__ import annotations

import pytest

from headrace.core.registry import find, raw


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"difers": "1.15 has no kernel for it"}, "difers"),
        ({"transpose": True, "gives": 1}, "transpose"),
        ({"transpose_a": True, "befor": [], "afte": []}, "afte, befor"),
    ],
)
def test_a_word_that_is_neither_a_cases_nor_an_attribute_is_refused(words, said):
    decl = find("MatMul")
    count = len(decl.cases)
    message = f"A case of MatMul gives {said}; the attributes of MatMul are transpose_a, transpose_b, T, and the words.*differs"
    with pytest.raises(TypeError, match=message):
        decl.accepts([2, 3], [3, 4], **words)
    with pytest.raises(TypeError, match=message):
        decl.rejects([2, 3], [3, 4], error=ValueError, **words)
    assert len(decl.cases) == count


def test_files_of_headrace_are_told_of_the_index():
    with pytest.raises(AttributeError, match=r"has no attribute 'Nonesuch': Headrace has no such op\.$"):
        raw.Nonesuch([2])
    # As it is asked for in a file of ops.
    with pytest.raises(
        AttributeError, match="Headrace has no such op, or its index does not have it yet: run make index"
    ):
        eval("raw.Nonesuch", {"raw": raw, "__name__": "headrace.ops.nn.activations"})
