"""tf.audio: WAV files."""

HOMES = {"ops.audio.wav": "decode_wav encode_wav"}
