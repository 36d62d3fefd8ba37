"""tf.compat.v2.sysconfig: the names that mean the same in 1.x."""

HOMES = {
    "sysconfig": "CXX11_ABI_FLAG MONOLITHIC_BUILD get_compile_flags get_include get_lib get_link_flags",
}
