"""Slim's networks: variables with shapes, end points, collections and losses."""

import hashlib

import tensorflow as tf
import tensorflow.contrib.slim as slim
from tensorflow.contrib.slim.nets import alexnet, inception, overfeat, resnet_utils, resnet_v1, resnet_v2, vgg

results = {}


def listed(names, whole):
    text = "\n".join(names)
    return text if whole else hashlib.md5(text.encode()).hexdigest()


def describe(name, scope, build, size, whole=True):
    images = tf.placeholder(tf.float32, [2, size, size, 3], name="images")
    with slim.arg_scope(scope):
        net, end_points = build(images)
    variables = [v.name + " " + str(v.shape.as_list()) for v in tf.global_variables()]
    ops = [op.name + ":" + op.type for op in tf.get_default_graph().get_operations()]
    results[name] = {
        "net": [net.name, str(net.shape)],
        "end_points": listed(["%s %s %s" % (key, t.name, t.shape) for key, t in sorted(end_points.items())], whole),
        "variables": listed(variables, whole),
        "count": len(variables),
        "parameters": slim.model_analyzer.analyze_vars(slim.get_model_variables()),
        "trainable": listed([v.name for v in tf.trainable_variables()], False),
        "losses": listed([t.name for t in tf.losses.get_regularization_losses()], False),
        "updates": listed([t.name for t in tf.get_collection(tf.GraphKeys.UPDATE_OPS)], False),
        "moving": len(tf.get_collection("moving_vars")),
        "ops": listed(ops, False),
    }
    tf.reset_default_graph()


describe("alexnet_v2", alexnet.alexnet_v2_arg_scope(), alexnet.alexnet_v2, 224)
describe("overfeat", overfeat.overfeat_arg_scope(), overfeat.overfeat, 231)
describe("vgg_a", vgg.vgg_arg_scope(), vgg.vgg_a, 224)
describe("vgg_16", vgg.vgg_arg_scope(0.001), lambda x: vgg.vgg_16(x, 10, spatial_squeeze=False), 224)
describe("vgg_19", vgg.vgg_arg_scope(), lambda x: vgg.vgg_19(x, is_training=False), 224, whole=False)
describe("inception_v1", inception.inception_v1_arg_scope(), inception.inception_v1, 224)
describe("inception_v2", inception.inception_v2_arg_scope(), inception.inception_v2, 224)
describe(
    "inception_v2_small",
    inception.inception_v2_arg_scope(),
    lambda x: inception.inception_v2(x, 10, depth_multiplier=0.5),
    128,
    whole=False,
)
describe("inception_v3", inception.inception_v3_arg_scope(), inception.inception_v3, 299)
describe("resnet_v1_50", resnet_utils.resnet_arg_scope(), lambda x: resnet_v1.resnet_v1_50(x, 1000), 224)
describe(
    "resnet_v2_50", resnet_utils.resnet_arg_scope(), lambda x: resnet_v2.resnet_v2_50(x, 1001, is_training=False), 224
)
describe(
    "resnet_v2_dense",
    resnet_utils.resnet_arg_scope(),
    lambda x: resnet_v2.resnet_v2_50(x, None, global_pool=False, output_stride=8),
    97,
    whole=False,
)
describe(
    "resnet_v1_own",
    resnet_utils.resnet_arg_scope(weight_decay=0.01, batch_norm_scale=False),
    lambda x: resnet_v1.resnet_v1(
        x,
        [
            resnet_v1.resnet_v1_block("a", base_depth=4, num_units=2, stride=2),
            resnet_utils.Block("b", resnet_v1.bottleneck, [{"depth": 16, "depth_bottleneck": 4, "stride": 1}]),
        ],
        7,
        include_root_block=False,
        scope="own",
    ),
    32,
)

x = tf.placeholder(tf.float32, [1, 224, 224, 3])
base, points = inception.inception_v1_base(x, final_endpoint="Mixed_4c")
results["base"] = [base.name, sorted(points)]
errors = []
for build in (
    lambda: inception.inception_v1_base(x, final_endpoint="Mixed_9"),
    lambda: inception.inception_v2(x, depth_multiplier=0),
    lambda: inception.inception_v3_base(x, depth_multiplier=-1.0),
    lambda: resnet_v1.resnet_v1_50(x, 3, output_stride=7, scope="e1"),
    lambda: resnet_v1.resnet_v1_50(x, 3, output_stride=64, scope="e2"),
):
    try:
        build()
        errors.append("none")
    except (TypeError, ValueError) as e:
        errors.append(type(e).__name__)
results["errors"] = errors
results["sizes"] = [
    alexnet.alexnet_v2.default_image_size,
    vgg.vgg_16.default_image_size,
    inception.inception_v3.default_image_size,
    resnet_v2.resnet_v2.default_image_size,
]
results["description"] = slim.model_analyzer.tensor_description(x)
