"""tf.contrib.ffmpeg: sound, as far as WAV files go."""

HOMES = {"contrib.ffmpeg": "decode_audio encode_audio"}

ABSENT = {"decode_video": "Headrace decodes no video; decode it with another package and feed the frames."}
