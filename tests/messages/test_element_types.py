"""The enumeration of the types of elements, as TensorFlow 1.15 has it."""

from __future__ import annotations

from headrace.core.dtypes import as_dtype
from headrace.messages import element_types


def test_every_type_is_one_of_tensors():
    numbers = element_types.DataType.values()
    assert sorted(numbers) == [*range(24), *range(101, 124)]
    assert [as_dtype(number).as_datatype_enum for number in numbers if number] == [n for n in numbers if n]


def test_names():
    assert element_types.DataType.Name(1) == "DT_FLOAT"
    assert element_types.DataType.Value("DT_INT64_REF") == element_types.DT_INT64_REF == 109
    assert not hasattr(element_types, "DT_INT4")
