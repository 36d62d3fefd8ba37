"""tf.contrib.slim.nets."""

_RESNET = "bottleneck resnet_arg_scope resnet_v{0} resnet_v{0}_101 resnet_v{0}_152 resnet_v{0}_200 resnet_v{0}_50 "
_RESNET += "resnet_v{0}_block"

NESTED = {
    "alexnet": {
        "contrib.slim.nets.stages": "trunc_normal",
        "contrib.slim.nets.alexnet": "alexnet_v2 alexnet_v2_arg_scope",
    },
    "inception": {
        "contrib.slim.nets.stages": "trunc_normal",
        "contrib.slim.nets.inception_v1": "inception_v1 inception_v1_arg_scope inception_v1_base",
        "contrib.slim.nets.inception_v2": "inception_v2 inception_v2_arg_scope inception_v2_base",
        "contrib.slim.nets.inception_v3": "inception_v3 inception_v3_arg_scope inception_v3_base",
    },
    "overfeat": {
        "contrib.slim.nets.stages": "trunc_normal",
        "contrib.slim.nets.overfeat": "overfeat overfeat_arg_scope",
    },
    "resnet_utils": {
        "contrib.slim.nets.resnet_utils": "Block conv2d_same resnet_arg_scope stack_blocks_dense subsample",
    },
    "resnet_v1": {"contrib.slim.nets.resnet_v1": _RESNET.format(1)},
    "resnet_v2": {"contrib.slim.nets.resnet_v2": _RESNET.format(2)},
    "vgg": {"contrib.slim.nets.vgg": "vgg_16 vgg_19 vgg_a vgg_arg_scope vgg_d vgg_e"},
}
