"""SavedModels of both builders, of graphs that have an operation to run already, and of ragged tensors."""

import os
import tempfile

import tensorflow as tf
from tensorflow.python.saved_model import builder_impl, constants, loader_impl, nested_structure_coder

results = {}
folder = tempfile.mkdtemp()
number = [0]


def new():
    number[0] += 1
    return os.path.join(folder, str(number[0]))


def said(make):
    try:
        made = make()
    except Exception as error:
        return type(error).__name__
    return made


def words(name):
    path = os.path.join(tempfile.mkdtemp(), "words.txt")
    with open(path, "w") as f:
        f.write(name)
    return path


def variable():
    v = tf.get_variable("v", initializer=1.0)
    tf.get_default_session().run(v.initializer)


results["names"] = (
    [constants.INIT_OP_SIGNATURE_KEY, constants.TRAIN_OP_KEY, constants.DEBUG_DIRECTORY]
    if hasattr(constants, "DEBUG_DIRECTORY")
    else [constants.INIT_OP_SIGNATURE_KEY, constants.TRAIN_OP_KEY, "debug"]
)

with tf.Graph().as_default(), tf.Session() as sess:
    variable()
    export = new()
    builder = builder_impl._SavedModelBuilder(export)
    paths = [tf.constant(words(text), name=name) for text, name in (("a", "one"), ("a", "two"), ("b", "three"))]
    builder.add_meta_graph_and_variables(
        sess, ["serve"], assets_list=paths, init_op=tf.no_op("first"), train_op=tf.no_op("step")
    )
    builder.save()
    graph = loader_impl.parse_saved_model(export).meta_graphs[0]
    results["assets of a list"] = [[a.filename, a.tensor_info.name] for a in graph.asset_file_def]
    results["files"] = sorted(os.listdir(os.path.join(export, "assets")))
    results["collections"] = constants.ASSETS_KEY in graph.collection_def, constants.MAIN_OP_KEY in graph.collection_def
    results["signatures"] = sorted(graph.signature_def)

with tf.Graph().as_default(), tf.Session() as sess:
    variable()
    builder = tf.saved_model.builder.SavedModelBuilder(new())
    op = tf.no_op("op")
    builder.add_meta_graph_and_variables(sess, ["a"], main_op=op)
    results["a second main op"] = said(lambda: builder.add_meta_graph(["b"], main_op=op))
    results["where it is"] = [each.name for each in tf.get_collection(constants.MAIN_OP_KEY)]

MISTAKES = {
    "no operation": lambda: {"main_op": 3},
    "a number": lambda: {"assets_collection": [3]},
    "of numbers": lambda: {"assets_collection": [tf.constant(1)]},
    "no constant": lambda: {"assets_collection": [tf.placeholder(tf.string)]},
    "empty": lambda: {"assets_collection": [tf.constant("")]},
}
for name, arguments in MISTAKES.items():
    with tf.Graph().as_default(), tf.Session() as sess:
        variable()
        results[name] = said(
            lambda: tf.saved_model.builder.SavedModelBuilder(new()).add_meta_graph_and_variables(
                sess, ["a"], **arguments()
            )
        )

with tf.Graph().as_default(), tf.Session() as sess:
    variable()
    tf.complex(1.0, 2.0, name="complex")
    export = new()
    builder = tf.saved_model.builder.SavedModelBuilder(export)
    builder.add_meta_graph_and_variables(sess, ["a"], strip_default_attrs=True)
    builder.save()


def attributes(graph_def):
    (node,) = [each for each in graph_def.node if each.name == "complex"]
    return sorted(key for key in node.attr if not key.startswith("_"))


results["stripped"] = attributes(loader_impl.parse_saved_model(export).meta_graphs[0].graph_def)
with tf.Graph().as_default(), tf.Session() as sess:
    results["loaded"] = attributes(tf.saved_model.loader.load(sess, ["a"], export).graph_def)

with tf.Graph().as_default():
    ragged = tf.ragged.constant([[1, 2], [3]])
    info = tf.saved_model.utils.build_tensor_info(ragged)
    results["ragged"] = [[part.name, part.dtype] for part in info.composite_tensor.components]
    coder = nested_structure_coder.StructureCoder()
    coded = coder.encode_structure({"a": [ragged._type_spec, None, 3, "text"]})
    results["decoded"] = repr(coder.decode_proto(coded)["a"][1:]), coder.can_encode(object())
