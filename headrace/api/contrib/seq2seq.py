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
    # What 1.0 and 1.1 had.
    "contrib.seq2seq.attention_functions": "prepare_attention",
    "contrib.seq2seq.decoder_functions": "attention_decoder_fn_inference attention_decoder_fn_train dynamic_rnn_decoder "
    "simple_decoder_fn_inference simple_decoder_fn_train",
    "contrib.seq2seq.dynamic_attention": "DynamicAttentionWrapper DynamicAttentionWrapperState",
}
