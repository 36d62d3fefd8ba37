"""What a remote caller may not do: operations that read or write files or call Python, unless the owner allows them."""

from __future__ import annotations

from collections.abc import Iterable

from google.protobuf.message import DecodeError

from headrace.cluster.settings import FILES, PYTHON, ClusterSettings
from headrace.core import errors
from headrace.core.file_effects import find_writer
from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.messages import protos

# Besides what is declared to write files.
_READERS = frozenset({
    "CSVDataset", "DatasetToTFRecord", "ExperimentalCSVDataset", "ExperimentalDatasetToTFRecord",
    "ExperimentalLMDBDataset", "ExperimentalMatchingFilesDataset", "FixedLengthRecordDataset",
    "FixedLengthRecordDatasetV2", "FixedLengthRecordReader", "FixedLengthRecordReaderV2",
    "InitializeTableFromTextFile", "InitializeTableFromTextFileV2", "LMDBDataset", "LMDBReader", "LoadAndRemapMatrix",
    "MatchingFiles", "MatchingFilesDataset", "MergeV2Checkpoints", "ReadFile", "ReaderRead", "ReaderReadUpTo",
    "ReaderReadUpToV2", "ReaderReadV2", "RecordInput", "Restore", "RestoreSlice", "RestoreV2", "Save", "SaveSlices",
    "SaveV2", "SnapshotDataset", "SqlDataset", "ExperimentalSqlDataset", "TFRecordDataset", "TFRecordReader",
    "TFRecordReaderV2", "TextLineDataset", "TextLineReader", "TextLineReaderV2", "WholeFileReader",
    "WholeFileReaderV2", "WriteFile", "ChooseFastestBranchDataset", "CacheDataset", "CacheDatasetV2",
    "CreateSummaryFileWriter", "CreateSummaryDbWriter", "DebugIdentity", "DebugNanCount", "DebugNumericSummary",
})  # fmt: skip


def parse_graph(data: bytes, settings: ClusterSettings) -> protos.GraphDef:
    """The `GraphDef` in a message.

    Raises:
        InvalidArgumentError: for what is none.
        ResourceExhaustedError: if it has too many nodes.
    """
    graph_def = protos.GraphDef()
    try:
        graph_def.ParseFromString(data)
    except DecodeError as error:
        raise errors.InvalidArgumentError(None, None, f"Could not parse the GraphDef: {error}") from None
    check_count(len(graph_def.node) + sum(len(each.node_def) for each in graph_def.library.function), settings)
    return graph_def


def check_count(count: int, settings: ClusterSettings) -> None:
    """Raises ResourceExhaustedError for more nodes than a session may have."""
    if count > settings.max_nodes:
        raise errors.ResourceExhaustedError(
            None,
            None,
            f"A graph may have {settings.max_nodes} nodes here, got {count}: see HEADRACE_CLUSTER_MAX_NODES.",
        )


def check_operations(graph: Graph, operations: Iterable[Operation], settings: ClusterSettings) -> None:
    """Looks at operations that somebody else has sent, and at those of the functions there are.

    Raises:
        PermissionDeniedError: if one is not allowed to be run for others.
    """
    everything = list(operations)
    for function in graph._functions.values():
        everything += function.operations
    for op in everything:
        if PYTHON not in settings.allowed and op.decl.runs_python:
            raise _refused(op, "calls Python", PYTHON)
        if FILES not in settings.allowed and op.type in _READERS:
            raise _refused(op, "reads or writes files", FILES)
    if FILES not in settings.allowed:
        writer = find_writer(everything)
        if writer is not None:
            raise _refused(writer, "writes files", FILES)


def _refused(op: Operation, does: str, what: str) -> errors.PermissionDeniedError:
    return errors.PermissionDeniedError(
        None,
        None,
        f"Operation '{op.name}' ({op.type}) {does}, which this server does not do for others. Place it on the task of "
        f"the session, or set HEADRACE_CLUSTER_ALLOW={what} where the server runs.",
    )
