"""tf.sysconfig: what one needs to compile against TensorFlow."""

HOMES = {
    "config.sysconfig": "CXX11_ABI_FLAG MONOLITHIC_BUILD get_compile_flags get_include get_lib get_link_flags",
}
