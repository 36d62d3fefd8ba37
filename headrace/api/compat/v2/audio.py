"""tf.compat.v2.audio: the names that mean the same in 1.x."""

HOMES = {
    "audio": "decode_wav encode_wav",
}
