"""The ops on lookup tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from headrace.core.registry import OpDecl, op
from headrace.core.shapes import merge_dims
from headrace.ops.array.common import rank_is, shape_text
from headrace.ops.host_values import boxed, to_array, to_tensor
from headrace.ops.lookup.dense import DenseTable
from headrace.ops.lookup.tables import StaticTable, Table, invalid
from headrace.ops.lookup.text_file import check_column, keys_and_values
from headrace.ops.queues.handles import both, declare_pair, shared_state
from headrace.ops.ranks import ranked

_SHARED = "container='', shared_name='', use_node_name_sharing=False"
_TYPES = f"*, {_SHARED}, key_dtype: type, value_dtype: type"


def _declare_makers(op_type: str, text: str) -> tuple[OpDecl, OpDecl]:
    first = op(op_type, f"{text} -> table_handle: ref string", stateful=True)
    second = op(f"{op_type}V2", f"{text} -> table_handle: resource", stateful=True)
    for decl in (first, second):
        decl.not_differentiable()
        decl.shape(lambda op: [()])
    return first, second


static_ops = _declare_makers("HashTable", _TYPES)
mutable_ops = _declare_makers("MutableHashTable", _TYPES)
tensors_ops = _declare_makers("MutableHashTableOfTensors", f"{_TYPES}, value_shape: shape = []")
_DENSE = f"*, {_SHARED}, value_dtype: type, value_shape: shape = [], initial_num_buckets=131072, max_load_factor=0.8"
dense_op = op("MutableDenseHashTable", f"empty_key: key_dtype, {_DENSE} -> table_handle: ref string", stateful=True)
dense_v2_op = op(
    "MutableDenseHashTableV2",
    f"empty_key: key_dtype, deleted_key: key_dtype, {_DENSE} -> table_handle: resource",
    stateful=True,
)
for _decl in (dense_op, dense_v2_op):
    _decl.on_host("empty_key", *(["deleted_key"] if _decl is dense_v2_op else [])).not_differentiable()
    _decl.shape(lambda op: [()])
dense_v2_op.shape(ranked((0, 1))(lambda op: [()]))


@both("kernel", *static_ops)
def static_table(node):
    attrs = node.attrs
    table = shared_state(node, "table", lambda name: StaticTable(attrs["key_dtype"], attrs["value_dtype"]))
    return lambda: _of_types(table, attrs)


@both("kernel", *mutable_ops, *tensors_ops)
def mutable_table(node):
    attrs = node.attrs
    dims = attrs.get("value_shape", ())
    if dims is None or None in dims:
        raise invalid(f"value_shape must be fully known, got {dims}")
    if "value_shape" in attrs and len(dims) != 1:
        raise invalid(f"Default value must be a vector, got shape {shape_text(dims)}")
    table = shared_state(node, "table", lambda name: Table(attrs["key_dtype"], attrs["value_dtype"], tuple(dims)))
    return lambda: _of_types(table, attrs)


def _of_types(table: Table, attrs: Any) -> Table:
    if (table.key_dtype, table.value_dtype) != (attrs["key_dtype"], attrs["value_dtype"]):
        raise invalid(
            f"Conflicting key/value dtypes {attrs['key_dtype'].name}->{attrs['value_dtype'].name} with "
            f"{table.key_dtype.name}-{table.value_dtype.name} for table"
        )
    return table


@both("kernel", dense_op, dense_v2_op)
def dense_table(node):
    attrs = node.attrs
    buckets = attrs["initial_num_buckets"]
    if buckets < 4 or buckets & (buckets - 1):
        raise invalid(f"Number of buckets must be at least 4 and a power of 2, got: {buckets}")
    dims = tuple(attrs["value_shape"] or ())

    def table(empty_key, deleted_key=None):
        empty = to_array(empty_key)
        deleted = None if deleted_key is None else to_array(deleted_key)
        if deleted is not None and deleted.shape != empty.shape:
            raise invalid("Empty and deleted keys must have same shape")
        types = attrs["key_dtype"], attrs["value_dtype"]
        load = attrs["max_load_factor"]
        return shared_state(node, "table", lambda name: DenseTable(*types, dims, empty, deleted, buckets, load))

    return table


def _pair(op_type: str, arguments: str, *inputs: str, attrs: str = " ->") -> tuple[OpDecl, OpDecl]:
    no_gradient = "neither" if op_type in ("LookupTableImport", "LookupTableExport") else "both"
    pair = declare_pair(op_type, arguments, attrs, handle="table_handle", no_gradient=no_gradient)
    for decl in pair:
        decl.on_host(*inputs, outputs=True)
    return pair


find_ops = _pair(
    "LookupTableFind", ", keys: Tin, default_value: Tout", "keys", "default_value", attrs=" -> values: Tout"
)
insert_ops = _pair("LookupTableInsert", ", keys: Tin, values: Tout", "keys", "values")
import_ops = _pair("LookupTableImport", ", keys: Tin, values: Tout", "keys", "values")
initialize_ops = _pair("InitializeTable", ", keys: Tkey, values: Tval", "keys", "values")
size_ops = _pair("LookupTableSize", "", attrs=" -> size: int64")
export_ops = _pair("LookupTableExport", "", attrs=", *, Tkeys: type, Tvalues: type -> keys: Tkeys, values: Tvalues")
file_ops = _pair(
    "InitializeTableFromTextFile",
    ", filename: string",
    attrs=", *, key_index: int >= -2, value_index: int >= -2, vocab_size: int >= -1 = -1, delimiter='\\t' ->",
)
remove_op = op("LookupTableRemoveV2", "table_handle: resource, keys: Tin ->", stateful=True)
remove_op.on_host("keys")
for _reader in (*find_ops, *size_ops, *export_ops):
    _reader.reads("table_handle")
for _writer in (*insert_ops, *import_ops, *initialize_ops, *file_ops, remove_op):
    _writer.writes("table_handle")


@both("shape", *find_ops)
def find_shape(op):
    rank_is(op.inputs[0].dims, 0)
    keys, default = op.inputs[1].dims, op.inputs[2].dims
    maker = op.inputs[0].op
    key_rank = 0
    if maker.type.startswith("MutableDense"):
        empty = maker.inputs[0].dims
        if empty is None:
            return [None]
        key_rank = len(empty)
    if keys is None or default is None:
        return [None]
    return [(*keys[: len(keys) - key_rank], *default)]


@both("shape", *size_ops)
def size_shape(op):
    return [()]


@both("shape", *export_ops)
def export_shape(op):
    maker = op.inputs[0].op
    if maker.type.startswith("MutableDense"):
        empty, value = maker.inputs[0].dims, maker.attrs["value_shape"]
        # A scalar key or value is exported as a row of one, whatever 1.15 says before the step.
        return [(None, *dims) if dims else None for dims in (empty, value)]
    if "OfTensors" in maker.type:
        value = maker.attrs["value_shape"]
        return [(None,), None if value is None else (None, *value)]
    if "HashTable" in maker.type:
        return [(None,), (None,)]
    return [None, None]


@both("shape", *initialize_ops)
def initialize_shape(op):
    merge_dims(op.inputs[1].dims, op.inputs[2].dims)
    return []


@both("shape", *import_ops)
def import_shape(op):
    rank_is(op.inputs[0].dims, 0)
    maker = op.inputs[0].op
    if maker.type in ("HashTable", "HashTableV2"):
        keys = rank_is(op.inputs[1].dims, 1)
        merge_dims(keys, op.inputs[2].dims)
    return []


@both("shape", *insert_ops, remove_op)
def no_outputs(op):
    rank_is(op.inputs[0].dims, 0)
    return []


@both("shape", *file_ops)
def file_shape(op):
    rank_is(op.inputs[0].dims, 0)
    rank_is(op.inputs[1].dims, 0)
    return []


def _checked(table: Table, key: Any = None, value: Any = None) -> None:
    if key is not None and key != table.key_dtype:
        raise invalid(f"Key must be type {table.key_dtype.name} but got {key.name}")
    if value is not None and value != table.value_dtype:
        raise invalid(f"Value must be type {table.value_dtype.name} but got {value.name}")


def _as_value(array: np.ndarray) -> Any:
    return array if array.dtype == object else to_tensor(array)


@both("kernel", *find_ops)
def find_kernel(node):
    key, value = node.attrs["Tin"], node.attrs["Tout"]

    def find(table, keys, default):
        _checked(table, key, value)
        return _as_value(table.find(to_array(keys), to_array(default)))

    return find


@both("kernel", *insert_ops)
def insert_kernel(node):
    key, value = node.attrs["Tin"], node.attrs["Tout"]

    def insert(table, keys, values):
        _checked(table, key, value)
        table.insert(to_array(keys), to_array(values))
        return ()

    return insert


@both("kernel", *import_ops, *initialize_ops)
def import_kernel(node):
    key = node.attrs.get("Tin", node.attrs.get("Tkey"))
    value = node.attrs.get("Tout", node.attrs.get("Tval"))

    def fill(table, keys, values):
        _checked(table, key, value)
        table.replace(to_array(keys), to_array(values))
        return ()

    return fill


@remove_op.kernel
def remove_kernel(node):
    key = node.attrs["Tin"]

    def remove(table, keys):
        _checked(table, key)
        table.remove(to_array(keys))
        return ()

    return remove


@both("kernel", *size_ops)
def size_kernel(node):
    return lambda table: to_tensor(np.array(table.size(), np.int64))


@both("kernel", *export_ops)
def export_kernel(node):
    def export(table):
        keys, values = table.export()
        return _as_value(keys), _as_value(values)

    return export


@both("kernel", *file_ops)
def file_kernel(node):
    attrs = node.attrs

    def fill(table, filename):
        if not isinstance(table, StaticTable):
            raise invalid("Only a HashTable is initialized from a file")
        name = boxed(filename).item().decode()
        check_column(attrs["key_index"], table.key_dtype, "Key")
        check_column(attrs["value_index"], table.value_dtype, "Value")
        columns = (attrs["key_index"], table.key_dtype), (attrs["value_index"], table.value_dtype)
        if not table.is_initialized:
            table.initialize(*keys_and_values(name, attrs["delimiter"], attrs["vocab_size"], columns))
        return ()

    return fill
