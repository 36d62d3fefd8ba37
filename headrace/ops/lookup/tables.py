"""The ops on lookup tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.cases import made, result
from headrace.core.dims import merge_dims
from headrace.core.dtypes import DType, dtype_text
from headrace.core.errors import AbortedError, FailedPreconditionError, InvalidArgumentError
from headrace.core.registry import op
from headrace.files.paths import as_path
from headrace.kernels.array.arguments import rank_is, shape_text
from headrace.kernels.host_values import boxed, taken, to_array, to_tensor
from headrace.kernels.lookup.dense import DenseTable
from headrace.kernels.lookup.tables import StaticTable, Table, invalid
from headrace.kernels.lookup.text_file import check_column, keys_and_values
from headrace.kernels.queues.handles import both, declare_makers, declare_pair, shared_state
from headrace.kernels.ranks import ranked
from headrace.native.direct import direct_call

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.typing import NodeView, OpView


_SHARED = "container='', shared_name='', use_node_name_sharing=False"
_TYPES = f"*, {_SHARED}, key_dtype: type, value_dtype: type"
static_ops = declare_makers("HashTable", "HashTableV2", f"{_TYPES} -> table_handle: HANDLE")
mutable_ops = declare_makers("MutableHashTable", "MutableHashTableV2", f"{_TYPES} -> table_handle: HANDLE")
tensors_ops = declare_makers(
    "MutableHashTableOfTensors",
    "MutableHashTableOfTensorsV2",
    f"{_TYPES}, value_shape: shape = [] -> table_handle: HANDLE",
)
for _by_ref, _by_resource in (static_ops, mutable_ops, tensors_ops):
    _by_ref.not_differentiable().shape(lambda op: [(2,)])
    _by_resource.not_differentiable().shape(lambda op: [()])
_DENSE = f"*, {_SHARED}, value_dtype: type, value_shape: shape = [], initial_num_buckets=131072, max_load_factor=0.8"
dense_op = op("MutableDenseHashTable", f"empty_key: key_dtype, {_DENSE} -> table_handle: ref string", stateful=True)
dense_v2_op = op(
    "MutableDenseHashTableV2",
    f"empty_key: key_dtype, deleted_key: key_dtype, {_DENSE} -> table_handle: resource",
    stateful=True,
)
for _decl in (dense_op, dense_v2_op):
    _decl.on_host("empty_key", *(["deleted_key"] if _decl is dense_v2_op else [])).not_differentiable()
dense_op.shape(lambda op: [(2,)])
dense_v2_op.shape(ranked((0, 1))(lambda op: [()]))


# The types of values that a table can hold, by those of its keys.
_NUMBER_TYPES = "int32 float32 float64"
_STATIC = {
    "int32": f"{_NUMBER_TYPES} string",
    "int64": f"{_NUMBER_TYPES} int64 string",
    "string": f"{_NUMBER_TYPES} int64 string bool",
}
_OF_ROWS = {"int32": _NUMBER_TYPES, "int64": f"{_NUMBER_TYPES} int64 string", "string": f"{_NUMBER_TYPES} int64 bool"}
_MUTABLE = {**_OF_ROWS, "int64": f"{_OF_ROWS['int64']} variant"}
_DENSELY = {**_OF_ROWS, "int64": f"{_NUMBER_TYPES} int64 bool variant"}


def _check_types(node: NodeView, held: Mapping[str, str]) -> None:
    """Refuses keys and values for which there is no table of a node's kind."""
    key, value = node.attrs["key_dtype"].base_dtype.name, node.attrs["value_dtype"].base_dtype.name
    if value not in held.get(key, "").split():
        there = "; ".join(f"{k} to {v.replace(' ', ', ')}" for k, v in held.items())
        raise invalid(
            f"No OpKernel was registered to support Op '{node.type}' used by node {node.name} with these attrs: "
            f"[key_dtype={key}, value_dtype={value}]; there are those of {there}"
        )


def _kept(node: NodeView, make: Callable[[str], Any]) -> Any:
    return shared_state(node, "table", make, by_node_name=node.attrs["use_node_name_sharing"])


@both("kernel", *static_ops)
def static_table(node):
    attrs = node.attrs
    _check_types(node, _STATIC)
    table = _kept(node, lambda name: StaticTable(attrs["key_dtype"], attrs["value_dtype"]))
    return lambda: _of_types(table, attrs)


@both("kernel", *mutable_ops, *tensors_ops)
def mutable_table(node):
    attrs = node.attrs
    _check_types(node, _OF_ROWS if "value_shape" in attrs else _MUTABLE)
    dims = attrs.get("value_shape", ())
    if dims is None or None in dims:
        raise invalid(f"value_shape must be fully known, got {dims}")
    if "value_shape" in attrs and len(dims) != 1:
        raise invalid(f"Default value must be a vector, got shape {shape_text(dims)}")
    table = _kept(node, lambda name: Table(attrs["key_dtype"], attrs["value_dtype"], tuple(dims)))
    return lambda: _of_types(table, attrs)


def _of_types(table: Table, attrs: Mapping[str, Any]) -> Table:
    if (table.key_dtype, table.value_dtype) != (attrs["key_dtype"], attrs["value_dtype"]):
        raise invalid(
            f"Conflicting key/value dtypes {attrs['key_dtype'].name}->{attrs['value_dtype'].name} with "
            f"{table.key_dtype.name}-{table.value_dtype.name} for table"
        )
    return table


@both("kernel", dense_op, dense_v2_op)
def dense_table(node):
    attrs = node.attrs
    _check_types(node, _DENSELY)
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
        return _kept(node, lambda name: DenseTable(*types, dims, empty, deleted, buckets, load))

    return table


find_ops = declare_pair(
    "LookupTableFind",
    "LookupTableFindV2",
    "table_handle: HANDLE, keys: Tin, default_value: Tout -> values: Tout",
    no_gradient="both",
)
insert_ops = declare_pair(
    "LookupTableInsert",
    "LookupTableInsertV2",
    "table_handle: HANDLE, keys: Tin, values: Tout ->",
    no_gradient="both",
)
import_ops = declare_pair(
    "LookupTableImport",
    "LookupTableImportV2",
    "table_handle: HANDLE, keys: Tin, values: Tout ->",
    no_gradient="neither",
)
initialize_ops = declare_pair(
    "InitializeTable",
    "InitializeTableV2",
    "table_handle: HANDLE, keys: Tkey, values: Tval ->",
    no_gradient="both",
)
size_ops = declare_pair(
    "LookupTableSize", "LookupTableSizeV2", "table_handle: HANDLE -> size: int64", no_gradient="both"
)
export_ops = declare_pair(
    "LookupTableExport",
    "LookupTableExportV2",
    "table_handle: HANDLE, *, Tkeys: type, Tvalues: type -> keys: Tkeys, values: Tvalues",
    no_gradient="neither",
)
file_ops = declare_pair(
    "InitializeTableFromTextFile",
    "InitializeTableFromTextFileV2",
    "table_handle: HANDLE, filename: string, *, key_index: int >= -2, value_index: int >= -2, "
    "vocab_size: int >= -1 = -1, delimiter='\\t' ->",
    no_gradient="both",
)
remove_op = op("LookupTableRemoveV2", "table_handle: resource, keys: Tin ->", stateful=True)
remove_op.on_host("keys")
for _decl in find_ops:
    _decl.on_host("keys", "default_value", outputs=True)
for _decl in (*insert_ops, *import_ops, *initialize_ops):
    _decl.on_host("keys", "values", outputs=True)
for _decl in (*size_ops, *export_ops, *file_ops):
    _decl.on_host(outputs=True)
for _reader in (*find_ops, *size_ops, *export_ops):
    _reader.reads("table_handle")
for _writer in (*insert_ops, *import_ops, *initialize_ops, *file_ops, remove_op):
    _writer.writes("table_handle")


def _checked_handle(op: OpView) -> None:
    """A reference to a table has two parts, a resource none."""
    rank_is(op.inputs[0].dims, 0 if op.inputs[0].dtype.name == "resource" else 1)


def _check_known_types(op: Operation, key: DType, value: DType) -> None:
    """Refuses other types than those of the table where its maker is one that tells: a mutable one, a resource."""
    maker = op.inputs[0].op
    if maker.type not in (mutable_ops[1].type, tensors_ops[1].type, dense_v2_op.type):
        return
    for expected, got in ((maker.attrs["key_dtype"], key), (maker.attrs["value_dtype"], value)):
        if expected != got:
            raise ValueError(
                f"Trying to read value with wrong dtype. Expected {dtype_text(expected)} got {dtype_text(got)}"
            )


@both("shape", *find_ops)
def find_shape(op):
    _checked_handle(op)
    _check_known_types(op, op.attrs["Tin"], op.attrs["Tout"])
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
    _check_known_types(op, op.attrs["Tkeys"], op.attrs["Tvalues"])
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


@import_ops[1].shape
def import_shape(op):
    _checked_handle(op)
    dims = op.inputs[1].dims
    # Where nothing tells of what kind the table is, as eagerly, it may be a dense one, whose keys have any rank.
    is_hashed = op.inputs[0].op.type in (static_ops[1].type, mutable_ops[1].type, tensors_ops[1].type)
    merge_dims(rank_is(dims, 1) if is_hashed else dims, op.inputs[2].dims)
    return []


@both("shape", import_ops[0], *insert_ops, remove_op)
def no_outputs(op):
    _checked_handle(op)
    return []


@both("shape", *file_ops)
def file_shape(op):
    _checked_handle(op)
    rank_is(op.inputs[1].dims, 0)
    return []


def _checked(table: Table, key: DType | None = None, value: DType | None = None) -> None:
    if key is not None and key != table.key_dtype:
        raise invalid(f"Key must be type {table.key_dtype.name} but got {key.name}")
    if value is not None and value != table.value_dtype:
        raise invalid(f"Value must be type {table.value_dtype.name} but got {value.name}")


def _as_value(array: np.ndarray) -> Any:
    if array.dtype != object:
        return to_tensor(array)
    return array if array.ndim else taken(array[()])


@both("kernel", *find_ops)
def find_kernel(node):
    key, value = node.attrs["Tin"], node.attrs["Tout"]

    def find(table, keys, default):
        _checked(table, key, value)
        return _as_value(table.find(to_array(keys), to_array(default)))

    of_texts = direct_call("find")
    if of_texts is None or (key.name, value.name) != ("string", "int64"):
        return find

    def find_texts(table, keys, default):
        contents = table.plain_contents()
        if contents is None:
            return find(table, keys, default)
        _checked(table, key, value)
        found = of_texts(contents, keys, default)
        return find(table, keys, default) if found is None else found

    return find_texts


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
    initializes = node.type.startswith("Initialize")
    key, value = (node.attrs[name] for name in (("Tkey", "Tval") if initializes else ("Tin", "Tout")))

    def fill(table, keys, values):
        if initializes and table.is_mutable:
            raise invalid("A mutable table is not initializable")
        _checked(table, key, value)
        if not table.is_mutable and 0 in keys.shape:
            raise invalid("keys and values cannot be empty tensors.")
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
    types = node.attrs["Tkeys"], node.attrs["Tvalues"]

    def export(table):
        _checked(table, *types)
        keys, values = table.export()
        return _as_value(keys), _as_value(values)

    return export


@both("kernel", *file_ops)
def file_kernel(node):
    attrs = node.attrs

    def fill(table, filename):
        if not isinstance(table, StaticTable):
            raise invalid("Only a HashTable is initialized from a file")
        name = as_path(boxed(filename).item())
        if len(attrs["delimiter"]) != 1:
            raise invalid(f"delimiter of a table's file must be one character, got {attrs['delimiter']!r}")
        check_column(attrs["key_index"], table.key_dtype, "Key")
        check_column(attrs["value_index"], table.value_dtype, "Value")
        columns = (attrs["key_index"], table.key_dtype), (attrs["value_index"], table.value_dtype)
        if not table.is_initialized:
            table.initialize(*keys_and_values(name, attrs["delimiter"], attrs["vocab_size"], columns))
        return ()

    return fill


# ---- examples ----

_KEYS, _NUMBERS = np.array([b"a", b"b"]), np.array([1, 2])
_OF_TEXT = {"key_dtype": "string", "value_dtype": "int64"}
_LINES = b"a 7\nb 8\nc 9\n"


def _declare_maker_cases(form: int, version: str) -> None:
    """The cases of what makes tables in one of its forms, whose types end with `version`."""

    def used(name: str, keys: Any, values: Any, unknown: Any, insert: str = "LookupTableInsert") -> dict[str, Any]:
        found = made("LookupTableFind" + version, result, keys, unknown)
        return {"shared_name": name, "after": [made(insert + version, result, keys, values), found]}

    static_ops[form].accepts(**_OF_TEXT, **used("static", _KEYS, _NUMBERS, np.int64(-1), "InitializeTable"))
    mutable_ops[form].accepts(**_OF_TEXT, **used("mutable", _KEYS, _NUMBERS, np.int64(-1)))
    of_rows = {"key_dtype": "int64", "value_dtype": "float32", "value_shape": [2]}
    tensors_ops[form].accepts(**of_rows, **used("rows", np.array([3, 4]), [2, 2], np.zeros(2, np.float32)))
    tensors_ops[form].rejects(**{**of_rows, "value_shape": []}, error=InvalidArgumentError)
    special = (np.int64(0), np.int64(-1))[: form + 1]
    rows = {"value_dtype": "float32", "value_shape": [2]}
    dense, why = ((dense_op, "1.15's kernel asks for deleted_key, which it has not"), (dense_v2_op, None))[form]
    dense.accepts(*special, **rows, **used("dense", np.array([3, 4]), [2, 2], np.zeros(2, np.float32)), differs=why)
    dense.rejects(*special, initial_num_buckets=6, error=InvalidArgumentError, differs=why, **rows)


def _declare_cases(form: int, version: str) -> None:
    """The cases of what is done with tables in one of its forms."""
    static, mutable = made("HashTable" + version, **_OF_TEXT), made("MutableHashTable" + version, **_OF_TEXT)
    filled = made("LookupTableInsert" + version, mutable, _KEYS, _NUMBERS)
    initialized = made("InitializeTable" + version, static, _KEYS, _NUMBERS)
    default = np.int64(-1)
    looked_up = made("LookupTableFind" + version, mutable, np.array([b"a", b"b", b"c"]), default)
    count = made("LookupTableSize" + version, mutable)
    asked = np.array([[b"b", b"z"]])
    find_ops[form].accepts(mutable, asked, default, before=[filled]).accepts(
        static, asked, default, before=[initialized]
    )
    find_ops[form].rejects(static, asked, default, error=FailedPreconditionError)
    find_ops[form].rejects(mutable, np.array([1]), default, error=(InvalidArgumentError, ValueError)[form])
    insert_ops[form].accepts(mutable, _KEYS, _NUMBERS, after=[looked_up, count])
    insert_ops[form].accepts(mutable, np.array([b"b", b"c"]), _NUMBERS, before=[filled], after=[looked_up, count])
    insert_ops[form].rejects(mutable, _KEYS, _NUMBERS[:1], error=InvalidArgumentError)
    import_ops[form].accepts(mutable, _KEYS[:1], _NUMBERS[:1], before=[filled], after=[looked_up, count])
    import_ops[form].rejects(mutable, _KEYS, _NUMBERS[:1], error=(InvalidArgumentError, ValueError)[form])
    initialize_ops[form].accepts(static, _KEYS, _NUMBERS, after=[made("LookupTableSize" + version, static)])
    twice = np.array([b"a", b"a"])
    initialize_ops[form].rejects(static, twice, _NUMBERS, error=FailedPreconditionError)
    initialize_ops[form].rejects(mutable, _KEYS, _NUMBERS, error=InvalidArgumentError)
    initialize_ops[form].rejects(static, _KEYS, _NUMBERS[:1], error=ValueError)
    size_ops[form].accepts(mutable).accepts(mutable, before=[filled])
    one = made("LookupTableInsert" + version, mutable, _KEYS[:1], _NUMBERS[:1])
    export_ops[form].accepts(mutable, Tkeys="string", Tvalues="int64", before=[one])
    export_ops[form].rejects(static, Tkeys="string", Tvalues="int64", error=AbortedError)
    from_file = made("LookupTableFind" + version, static, np.array([b"c", b"z"]), default)
    file = {"files": {"words.txt": _LINES}, "key_index": 0, "value_index": 1, "delimiter": " "}
    file_ops[form].accepts(static, b"words.txt", after=[from_file], **file)
    by_line = made("HashTable" + version, key_dtype="int64", value_dtype="string")
    third = made("LookupTableFind" + version, by_line, np.array([2, 3]), b"none")
    file_ops[form].accepts(by_line, b"words.txt", after=[third], **{**file, "key_index": -1, "value_index": -2})
    file_ops[form].rejects(static, b"words.txt", error=InvalidArgumentError, **{**file, "value_index": 2})


for _form, _version in enumerate(("", "V2")):
    _declare_maker_cases(_form, _version)
    _declare_cases(_form, _version)
_DENSE_TABLE = made(
    *("MutableDenseHashTableV2", np.int64(0), np.int64(-1)),
    value_dtype="float32",
    value_shape=[],
    initial_num_buckets=8,
)
_FILLED = made("LookupTableInsertV2", _DENSE_TABLE, np.array([3, 4]), [2])
_LOOKED_UP = made("LookupTableFindV2", _DENSE_TABLE, np.array([3, 4]), np.float32(0))
remove_op.accepts(_DENSE_TABLE, np.array([3, 5]), before=[_FILLED], after=[_LOOKED_UP])
remove_op.rejects(_DENSE_TABLE, np.array([-1]), error=InvalidArgumentError)
