"""TensorFlow's protocol buffer message classes, imported when a name is first used.

    from headrace.messages import protos
    protos.GraphDef(), protos.types_pb2.DT_FLOAT

Most are those that tensorboard ships. Those it leaves out (Example, ServerDef, SavedModel, the records of
checkpoints, ...) are made here from tables of their fields, in the same wire format.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

from headrace.messages.message_tables import class_of, describe_file

if TYPE_CHECKING:
    from types import ModuleType


_SHIPPED = {
    "allocation_description_pb2": "AllocationDescription",
    "api_def_pb2": "ApiDef ApiDefs",
    "attr_value_pb2": "AttrValue NameAttrList",
    "cluster_pb2": "ClusterDef JobDef",
    "config_pb2": (
        "CallableOptions ConfigProto GPUOptions GraphOptions OptimizerOptions RunMetadata RunOptions "
        "SessionMetadata TensorConnection ThreadPoolOptionProto"
    ),
    "cost_graph_pb2": "CostGraphDef",
    "debug_pb2": "DebugOptions DebugTensorWatch DebuggedSourceFile DebuggedSourceFiles",
    "event_pb2": "Event LogMessage SessionLog TaggedRunMetadata",
    "function_pb2": "FunctionDef FunctionDefLibrary GradientDef",
    "graph_pb2": "GraphDef",
    "histogram_pb2": "HistogramProto",
    "meta_graph_pb2": "AssetFileDef CollectionDef MetaGraphDef SignatureDef TensorInfo",
    "node_def_pb2": "NodeDef",
    "op_def_pb2": "OpDef OpDeprecation OpList",
    "resource_handle_pb2": "ResourceHandleProto",
    "rpc_options_pb2": "RPCOptions",
    "rewriter_config_pb2": "AutoParallelOptions RewriterConfig ScopedAllocatorOptions",
    "saved_object_graph_pb2": "SavedObject SavedObjectGraph",
    "saver_pb2": "SaverDef",
    "step_stats_pb2": (
        "AllocationRecord AllocatorMemoryUsed DeviceStepStats MemoryStats NodeExecStats NodeOutput StepStats"
    ),
    "struct_pb2": "StructuredValue",
    "summary_pb2": "Summary SummaryDescription SummaryMetadata",
    "tensor_description_pb2": "TensorDescription",
    "tensor_pb2": "TensorProto VariantTensorDataProto",
    "tensor_shape_pb2": "TensorShapeProto",
    "tfprof_log_pb2": "OpLogEntry OpLogProto ProfileNode ProfileProto",
    "trackable_object_graph_pb2": "TrackableObjectGraph",
    "types_pb2": "DataType",
    "variable_pb2": "SaveSliceInfoDef VariableDef",
    "verifier_config_pb2": "VerifierConfig",
    "versions_pb2": "VersionDef",
}

# Messages made here: file -> the modules and files it refers to, and message -> fields as "name=number:type".
# A message named "Outer.Inner" lies in one before it.
# In a type "*" is repeated, "?oneof:" a member of a oneof, "{key,value}" a map; a capital letter begins a
# message, with "!" after it an enumeration. What is named with "!" is an enumeration of "name=number".
_MADE: dict[str, tuple[str, dict[str, str]]] = {
    "example": (
        "",
        {
            "BytesList": "value=1:*bytes",
            "FloatList": "value=1:*float",
            "Int64List": "value=1:*int64",
            "Feature": ("bytes_list=1:?kind:BytesList float_list=2:?kind:FloatList int64_list=3:?kind:Int64List"),
            "Features": "feature=1:{string,Feature}",
            "FeatureList": "feature=1:*Feature",
            "FeatureLists": "feature_list=1:{string,FeatureList}",
            "Example": "features=1:Features",
            "SequenceExample": "context=1:Features feature_lists=2:FeatureLists",
        },
    ),
    "example_parser_configuration": (
        "types_pb2 tensor_pb2 tensor_shape_pb2",
        {
            "VarLenFeatureProto": (
                "dtype=1:DataType! values_output_tensor_name=2:string indices_output_tensor_name=3:string "
                "shapes_output_tensor_name=4:string"
            ),
            "FixedLenFeatureProto": (
                "dtype=1:DataType! shape=2:TensorShapeProto default_value=3:TensorProto values_output_tensor_name=4:string"
            ),
            "FeatureConfiguration": (
                "fixed_len_feature=1:?config:FixedLenFeatureProto var_len_feature=2:?config:VarLenFeatureProto"
            ),
            "ExampleParserConfiguration": "feature_map=1:{string,FeatureConfiguration}",
        },
    ),
    "cpp_shape_inference": (
        "types_pb2 tensor_shape_pb2",
        {
            "CppShapeInferenceResult": "shape=1:TensorShapeProto handle_data=4:HandleData",
            "CppShapeInferenceResult.HandleShapeAndType": "shape=1:TensorShapeProto dtype=2:DataType!",
            "CppShapeInferenceResult.HandleData": "is_set=1:bool shape_and_type=2:*HandleShapeAndType",
            "CppShapeInferenceInputsNeeded": "input_tensors_needed=1:*int32 input_tensors_as_shapes_needed=2:*int32",
        },
    ),
    "kernel_def": (
        "attr_value_pb2",
        {
            "KernelDef": (
                "op=1:string device_type=2:string constraint=3:*AttrConstraint host_memory_arg=4:*string label=5:string "
                "priority=6:int32"
            ),
            "KernelDef.AttrConstraint": "name=1:string allowed_values=2:AttrValue",
            "KernelList": "kernel=1:*KernelDef",
        },
    ),
    "tensorflow_server": (
        "cluster_pb2 config_pb2",
        {
            "ServerDef": (
                "cluster=1:ClusterDef job_name=2:string task_index=3:int32 "
                "default_session_config=4:ConfigProto protocol=5:string"
            ),
        },
    ),
    "device_attributes": (
        "",
        {
            "InterconnectLink": "device_id=1:int32 type=2:string strength=3:int32",
            "LocalLinks": "link=1:*InterconnectLink",
            "DeviceLocality": "bus_id=1:int32 numa_node=2:int32 links=3:LocalLinks",
            "DeviceAttributes": (
                "name=1:string device_type=2:string memory_limit=4:int64 locality=5:DeviceLocality "
                "incarnation=6:fixed64 physical_device_desc=7:string"
            ),
        },
    ),
    "boosted_trees": (
        "",
        {
            "SplitTypeWithDefault!": "INEQUALITY_DEFAULT_LEFT=0 INEQUALITY_DEFAULT_RIGHT=1 EQUALITY_DEFAULT_RIGHT=3",
            "DefaultDirection!": "DEFAULT_LEFT=0 DEFAULT_RIGHT=1",
            "Node": (
                "leaf=1:?node:Leaf bucketized_split=2:?node:BucketizedSplit categorical_split=3:?node:CategoricalSplit "
                "dense_split=4:?node:DenseSplit metadata=777:NodeMetadata"
            ),
            "NodeMetadata": "gain=1:float original_leaf=2:Leaf",
            "Leaf": "vector=1:?leaf:Vector sparse_vector=2:?leaf:SparseVector scalar=3:float",
            "Vector": "value=1:*float",
            "SparseVector": "index=1:*int32 value=2:*float",
            "BucketizedSplit": (
                "feature_id=1:int32 threshold=2:int32 dimension_id=5:int32 default_direction=6:DefaultDirection! "
                "left_id=3:int32 right_id=4:int32"
            ),
            "CategoricalSplit": "feature_id=1:int32 value=2:int32 dimension_id=5:int32 left_id=3:int32 right_id=4:int32",
            "DenseSplit": "feature_id=1:int32 threshold=2:float left_id=3:int32 right_id=4:int32",
            "Tree": "nodes=1:*Node",
            "TreeMetadata": (
                "num_layers_grown=2:int32 is_finalized=3:bool post_pruned_nodes_meta=4:*PostPruneNodeUpdate"
            ),
            "TreeMetadata.PostPruneNodeUpdate": "new_node_id=1:int32 logit_change=2:*float",
            "GrowingMetadata": (
                "num_trees_attempted=1:int64 num_layers_attempted=2:int64 last_layer_node_start=3:int32 "
                "last_layer_node_end=4:int32"
            ),
            "TreeEnsemble": (
                "trees=1:*Tree tree_weights=2:*float tree_metadata=3:*TreeMetadata growing_metadata=4:GrowingMetadata"
            ),
            "DebugOutput": "feature_ids=1:*int32 logits_path=2:*float",
        },
    ),
    "saved_model": (
        "meta_graph_pb2",
        {"SavedModel": "saved_model_schema_version=1:int64 meta_graphs=2:*MetaGraphDef"},
    ),
    "error_codes": (
        "",
        {
            "Code!": (
                "OK=0 CANCELLED=1 UNKNOWN=2 INVALID_ARGUMENT=3 DEADLINE_EXCEEDED=4 NOT_FOUND=5 ALREADY_EXISTS=6 "
                "PERMISSION_DENIED=7 RESOURCE_EXHAUSTED=8 FAILED_PRECONDITION=9 ABORTED=10 OUT_OF_RANGE=11 UNIMPLEMENTED=12 "
                "INTERNAL=13 UNAVAILABLE=14 DATA_LOSS=15 UNAUTHENTICATED=16 "
                "DO_NOT_USE_RESERVED_FOR_FUTURE_EXPANSION_USE_DEFAULT_IN_SWITCH_INSTEAD_=20"
            ),
        },
    ),
    "queue_runner": (
        "error_codes",
        {
            "QueueRunnerDef": (
                "queue_name=1:string enqueue_op_name=2:*string close_op_name=3:string "
                "cancel_op_name=4:string queue_closed_exception_types=5:*Code!"
            ),
        },
    ),
    "control_flow": (
        "",
        {
            "ValuesDef": "values=1:*string external_values=2:{string,string}",
            "ControlFlowContextDef": "cond_ctxt=1:?ctxt:CondContextDef while_ctxt=2:?ctxt:WhileContextDef",
            "CondContextDef": (
                "context_name=1:string pred_name=2:string pivot_name=3:string branch=4:int32 "
                "values_def=5:ValuesDef nested_contexts=6:*ControlFlowContextDef"
            ),
            "WhileContextDef": (
                "context_name=1:string parallel_iterations=2:int32 back_prop=3:bool swap_memory=4:bool "
                "pivot_name=5:string pivot_for_pred_name=6:string pivot_for_body_name=7:string "
                "loop_exit_names=8:*string loop_enter_names=10:*string values_def=9:ValuesDef "
                "maximum_iterations_name=11:string nested_contexts=12:*ControlFlowContextDef"
            ),
        },
    ),
    "hparam": (
        "",
        {
            "HParamDef": "hparam=1:{string,HParamType}",
            "HParamType": (
                "int64_value=1:?kind:int64 float_value=2:?kind:float bytes_value=3:?kind:bytes bool_value=7:?kind:bool "
                "int64_list=4:?kind:HParamInt64List float_list=5:?kind:HParamFloatList "
                "bytes_list=6:?kind:HParamBytesList bool_list=8:?kind:HParamBoolList"
            ),
            "HParamInt64List": "value=1:*int64",
            "HParamFloatList": "value=1:*float",
            "HParamBytesList": "value=1:*bytes",
            "HParamBoolList": "value=1:*bool",
        },
    ),
    "checkpoint_state": (
        "",
        {
            "CheckpointState": (
                "model_checkpoint_path=1:string all_model_checkpoint_paths=2:*string "
                "all_model_checkpoint_timestamps=3:*double last_preserved_timestamp=4:double"
            ),
        },
    ),
    "tensor_slice": (
        "",
        {
            "TensorSliceProto": "extent=1:*TensorSliceExtent",
            "TensorSliceExtent": "start=1:int64 length=2:?has_length:int64",
        },
    ),
    "tensor_bundle": (
        "types_pb2 tensor_shape_pb2 versions_pb2 tensor_slice",
        {
            "BundleHeaderProto": "num_shards=1:int32 endianness=2:int32 version=3:VersionDef",
            "BundleEntryProto": (
                "dtype=1:DataType! shape=2:TensorShapeProto shard_id=3:int32 offset=4:int64 size=5:int64 "
                "crc32c=6:fixed32 slices=7:*TensorSliceProto"
            ),
        },
    ),
    "saved_tensor_slice": (
        "types_pb2 tensor_pb2 tensor_shape_pb2 versions_pb2 tensor_slice",
        {
            "SavedSliceMeta": ("name=1:string shape=2:TensorShapeProto type=3:DataType! slice=4:*TensorSliceProto"),
            "SavedTensorSliceMeta": "tensor=1:*SavedSliceMeta versions=2:VersionDef",
            "SavedSlice": "name=1:string slice=2:TensorSliceProto data=3:TensorProto",
            "SavedTensorSlices": "meta=1:SavedTensorSliceMeta data=2:SavedSlice",
        },
    ),
    "profile": (
        "",
        {
            "Profile": (
                "sample_type=1:*ValueType sample=2:*Sample mapping=3:*Mapping location=4:*Location function=5:*Function "
                "string_table=6:*string drop_frames=7:int64 keep_frames=8:int64 time_nanos=9:int64 duration_nanos=10:int64 "
                "period_type=11:ValueType period=12:int64 comment=13:*int64 default_sample_type=14:int64"
            ),
            "ValueType": "type=1:int64 unit=2:int64",
            "Sample": "location_id=1:*uint64 value=2:*int64 label=3:*Label",
            "Label": "key=1:int64 str=2:int64 num=3:int64 num_unit=4:int64",
            "Mapping": (
                "id=1:uint64 memory_start=2:uint64 memory_limit=3:uint64 file_offset=4:uint64 filename=5:int64 "
                "build_id=6:int64 has_functions=7:bool has_filenames=8:bool has_line_numbers=9:bool "
                "has_inline_frames=10:bool"
            ),
            "Location": "id=1:uint64 mapping_id=2:uint64 address=3:uint64 line=4:*Line is_folded=5:bool",
            "Line": "function_id=1:uint64 line=2:int64",
            "Function": "id=1:uint64 name=2:int64 system_name=3:int64 filename=4:int64 start_line=5:int64",
        },
    ),
    "trace_events": (
        "",
        {
            "TraceResource": "name=1:string resource_id=2:uint32",
            "TraceDevice": "name=1:string device_id=2:uint32 resources=3:{uint32,TraceResource}",
            "TraceEvent": (
                "device_id=1:uint32 resource_id=2:uint32 name=3:string timestamp_ps=9:uint64 duration_ps=10:uint64 "
                "args=11:{string,string}"
            ),
            "Trace": "devices=1:{uint32,TraceDevice} trace_events=4:*TraceEvent",
        },
    ),
    "tfprof_output": (
        "types_pb2 tensor_shape_pb2",
        {
            "TFProfTensorProto": ("dtype=1:DataType! value_double=2:*double value_int64=3:*int64 value_str=4:*string"),
            "GraphNodeProto": (
                "name=1:string tensor_value=15:TFProfTensorProto run_count=21:int64 exec_micros=2:int64 "
                "accelerator_exec_micros=17:int64 cpu_exec_micros=18:int64 requested_bytes=3:int64 "
                "peak_bytes=24:int64 residual_bytes=25:int64 output_bytes=26:int64 parameters=4:int64 "
                "float_ops=13:int64 devices=10:*string total_definition_count=23:int64 "
                "total_run_count=22:int64 total_exec_micros=6:int64 total_accelerator_exec_micros=19:int64 "
                "total_cpu_exec_micros=20:int64 total_requested_bytes=7:int64 total_peak_bytes=27:int64 "
                "total_residual_bytes=28:int64 total_output_bytes=29:int64 total_parameters=8:int64 "
                "total_float_ops=14:int64 shapes=11:*TensorShapeProto "
                "input_shapes=16:{int32,TensorShapeProto} children=12:*GraphNodeProto"
            ),
            "MultiGraphNodeProto": (
                "name=1:string exec_micros=2:int64 accelerator_exec_micros=12:int64 cpu_exec_micros=13:int64 "
                "requested_bytes=3:int64 peak_bytes=16:int64 residual_bytes=17:int64 output_bytes=18:int64 "
                "parameters=4:int64 float_ops=5:int64 total_exec_micros=6:int64 "
                "total_accelerator_exec_micros=14:int64 total_cpu_exec_micros=15:int64 "
                "total_requested_bytes=7:int64 total_peak_bytes=19:int64 total_residual_bytes=20:int64 "
                "total_output_bytes=21:int64 total_parameters=8:int64 total_float_ops=9:int64 "
                "graph_nodes=10:*GraphNodeProto children=11:*MultiGraphNodeProto"
            ),
            "AdviceChecker": "reports=2:*string",
            "AdviceProto": "checkers=1:{string,AdviceChecker}",
        },
    ),
}

_MODULE_OF = {name: module for module, names in _SHIPPED.items() for name in names.split()}
_FILE_OF = {name.strip("!"): file for file, (_, made) in _MADE.items() for name in made if "." not in name}

__all__ = [*_MODULE_OF, *_FILE_OF]

# Messages that are printed, with maps in them or in their parts.
_WITH_MAPS = frozenset(
    [
        "AttrValue",
        "FunctionDef",
        "FunctionDefLibrary",
        "GraphDef",
        "MetaGraphDef",
        "NameAttrList",
        "NodeDef",
        "SavedModel",
        "SignatureDef",
    ]
)
_PACKAGE = "headrace"
_made_files: dict[str, Any] = {}

# A member of the codes of errors that is no code; the others are constants of `tf.errors`.
DO_NOT_USE_RESERVED_FOR_FUTURE_EXPANSION_USE_DEFAULT_IN_SWITCH_INSTEAD_ = 20


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        value = getattr(_shipped(_MODULE_OF[name]), name)
        if name in _WITH_MAPS:
            value.__str__ = value.__repr__ = _text
    elif name in _FILE_OF:
        value = _made_class(name)
    elif name in _SHIPPED:
        value = _shipped(name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def _text(message: object) -> str:
    """A message as text, with what is in its maps in order of their keys, as all of protobuf printed it once."""
    from google.protobuf import text_format

    return str(text_format.MessageToString(message))


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULE_OF, *_FILE_OF, *_SHIPPED})


def _shipped(module: str) -> ModuleType:
    return importlib.import_module(f"tensorboard.compat.proto.{module}")


def _made_class(name: str) -> Any:
    return class_of(_made_file(_FILE_OF[name]), name)


def _made_file(file: str) -> Any:
    """The descriptor of a file of `_MADE`, added to the default pool on first use."""
    if file in _made_files:
        return _made_files[file]
    from google.protobuf import descriptor_pb2, descriptor_pool

    uses, messages = _MADE[file]
    known: dict[str, str] = {}
    proto = descriptor_pb2.FileDescriptorProto(name=f"{_PACKAGE}/{file}.proto", package=_PACKAGE, syntax="proto3")
    for used in uses.split():
        descriptor = _made_file(used) if used in _MADE else _shipped(used).DESCRIPTOR
        proto.dependency.append(descriptor.name)
        for types in (descriptor.message_types_by_name, descriptor.enum_types_by_name):
            known |= {name: f".{types[name].full_name}" for name in types}
    describe_file(proto, messages, known)
    pool = descriptor_pool.Default()
    pool.AddSerializedFile(proto.SerializeToString())
    _made_files[file] = pool.FindFileByName(proto.name)
    return _made_files[file]


def descriptor_of(full_name: str) -> Any:
    """The descriptor of a message of TensorFlow's by its full name there, None if there is none."""
    package, _, names = full_name.partition(".")
    first, *nested = names.split(".")
    if package != "tensorflow" or not (first in _MODULE_OF or first in _FILE_OF):
        return None
    found = getattr(sys.modules[__name__], first).DESCRIPTOR
    for name in nested:
        found = found.nested_types_by_name.get(name) if found is not None else None
    # Enumerations are in the tables too.
    return found if hasattr(found, "fields_by_name") else None
