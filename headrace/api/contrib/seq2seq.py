"""tf.contrib.seq2seq."""

HOMES: dict[str, str] = {
    "contrib.seq2seq.attention": "AttentionMechanism BahdanauAttention LuongAttention hardmax",
    "contrib.seq2seq.attention_wrapper": "AttentionWrapper AttentionWrapperState",
    "contrib.seq2seq.basic_decoder": "BasicDecoder BasicDecoderOutput",
    "contrib.seq2seq.beam_search_decoder": "BeamSearchDecoder BeamSearchDecoderOutput BeamSearchDecoderState "
    "FinalBeamSearchDecoderOutput tile_batch",
    "contrib.seq2seq.decoder": "Decoder dynamic_decode",
    "contrib.seq2seq.helper": "CustomHelper GreedyEmbeddingHelper Helper InferenceHelper SampleEmbeddingHelper "
    "TrainingHelper",
    "contrib.seq2seq.loss": "sequence_loss",
    "contrib.seq2seq.monotonic": "BahdanauMonotonicAttention LuongMonotonicAttention monotonic_attention "
    "monotonic_probability_fn safe_cumprod",
    "contrib.seq2seq.scheduled": "ScheduledEmbeddingTrainingHelper ScheduledOutputTrainingHelper",
    "ops.nn.gather_tree": "gather_tree",
}
