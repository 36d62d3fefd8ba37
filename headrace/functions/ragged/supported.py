"""Which public functions take ragged tensors, by where they are defined: no more than names, which are read early."""

from __future__ import annotations

_UNARY = {
    "kernels.composing.arithmetic": "conj",
    "kernels.composing.filling": "ones_like zeros_like",
    "kernels.composing.arranging": "identity",
    "ops.flow.numerics": "check_numerics",
    "ops.math.bitwise": "invert",
    "ops.math.cast": "cast saturate_cast to_bfloat16 to_complex128 to_complex64 to_double to_float to_int32 to_int64",
    "ops.math.clip": "clip_by_value",
    "ops.math.complex": "angle imag real",
    "ops.math.logical": "logical_not",
    "ops.math.special": "digamma erf erfc lgamma",
    "ops.math.trigonometric": "acos acosh asin asinh atan atanh cos cosh sin sinh tan",
    "ops.math.unary": "abs ceil exp expm1 floor is_finite is_inf is_nan log log1p log_sigmoid negative reciprocal rint "
    "round rsqrt sign sqrt square",
    "ops.parsing.tensors": "decode_compressed",
    "ops.string.conversion": "as_string decode_base64 encode_base64 string_to_number",
    "ops.string.hashing": "string_to_hash_bucket string_to_hash_bucket_fast string_to_hash_bucket_strong",
    "ops.string.regex": "regex_full_match regex_replace",
    "ops.string.text": "string_length string_strip substr",
    "ops.string.unicode": "unicode_script",
}
_UNARY_OF_LIST = {"ops.math.add_n": "add_n", "ops.string.joining": "string_join"}
_BINARY = {
    "ops.math.binary": "add maximum minimum multiply pow squared_difference subtract",
    "ops.math.bitwise": "bitwise_and bitwise_or bitwise_xor left_shift right_shift",
    "ops.math.comparison": "equal greater greater_equal less less_equal not_equal",
    "ops.math.complex": "complex",
    "ops.math.division": "div div_no_nan divide floordiv floormod mod realdiv truediv truncatediv truncatemod",
    "ops.math.logical": "logical_and logical_or logical_xor",
    "ops.math.trigonometric": "atan2",
}
# To what does it for ragged tensors.
_OWN = {
    "ops.array.dynamic": {"dynamic_partition": "selecting.dynamic_partition"},
    "functions.array.gather": {"batch_gather": "gathering.batch_gather", "gather_nd": "gathering.gather_nd"},
    "ops.array.gather": {"gather": "gathering.gather"},
    "kernels.composing.arranging": {"concat": "joining.concat", "stack": "joining.stack"},
    "kernels.composing.shapes": {
        "expand_dims": "layout.expand_dims",
        "rank": "layout.rank",
        "size": "layout.size",
        "squeeze": "layout.squeeze",
    },
    "ops.array.tile": {"tile": "layout.tile"},
    "ops.array.where": {"one_hot": "layout.one_hot", "where": "selecting.where"},
    "functions.math.reduction": {
        f"reduce_{kind}": f"math.reduce_{kind}" for kind in ("all", "any", "max", "mean", "min", "prod", "sum")
    },
    "functions.math.segments": {
        f"unsorted_segment_{kind}": f"math.segment_{kind}" for kind in ("max", "mean", "min", "prod", "sqrt_n", "sum")
    },
    "ops.string.joining": {"reduce_join": "strings.reduce_join"},
}


def _by_function(table: dict[str, str], kind: str) -> dict[tuple[str, str], str]:
    return {(module, name): kind for module, names in table.items() for name in names.split()}


# (module, name) to "unary", "unary of list", "binary", or module.function of this package.
SUPPORTED: dict[tuple[str, str], str] = {
    **_by_function(_UNARY, "unary"),
    **_by_function(_UNARY_OF_LIST, "unary of list"),
    **_by_function(_BINARY, "binary"),
    **{(module, name): target for module, names in _OWN.items() for name, target in names.items()},
}
