# Made by tools/make_stubs.py.

__all__ = ['AttentionMechanism', 'AttentionWrapper', 'AttentionWrapperState', 'BahdanauAttention', 'BahdanauMonotonicAttention', 'BasicDecoder', 'BasicDecoderOutput', 'BeamSearchDecoder', 'BeamSearchDecoderOutput', 'BeamSearchDecoderState', 'CustomHelper', 'Decoder', 'FinalBeamSearchDecoderOutput', 'GreedyEmbeddingHelper', 'Helper', 'InferenceHelper', 'LuongAttention', 'LuongMonotonicAttention', 'SampleEmbeddingHelper', 'ScheduledEmbeddingTrainingHelper', 'ScheduledOutputTrainingHelper', 'TrainingHelper', 'dynamic_decode', 'gather_tree', 'hardmax', 'monotonic_attention', 'monotonic_probability_fn', 'safe_cumprod', 'sequence_loss', 'tile_batch']
from headrace.contrib.seq2seq.attention import AttentionMechanism as AttentionMechanism
from headrace.contrib.seq2seq.attention_wrapper import AttentionWrapper as AttentionWrapper
from headrace.contrib.seq2seq.attention_wrapper import AttentionWrapperState as AttentionWrapperState
from headrace.contrib.seq2seq.attention import BahdanauAttention as BahdanauAttention
from headrace.contrib.seq2seq.monotonic import BahdanauMonotonicAttention as BahdanauMonotonicAttention
from headrace.contrib.seq2seq.basic_decoder import BasicDecoder as BasicDecoder
from headrace.contrib.seq2seq.basic_decoder import BasicDecoderOutput as BasicDecoderOutput
from headrace.contrib.seq2seq.beam_search_decoder import BeamSearchDecoder as BeamSearchDecoder
from headrace.contrib.seq2seq.beam_search_decoder import BeamSearchDecoderOutput as BeamSearchDecoderOutput
from headrace.contrib.seq2seq.beam_search_decoder import BeamSearchDecoderState as BeamSearchDecoderState
from headrace.contrib.seq2seq.helper import CustomHelper as CustomHelper
from headrace.contrib.seq2seq.decoder import Decoder as Decoder
from headrace.contrib.seq2seq.beam_search_decoder import FinalBeamSearchDecoderOutput as FinalBeamSearchDecoderOutput
from headrace.contrib.seq2seq.helper import GreedyEmbeddingHelper as GreedyEmbeddingHelper
from headrace.contrib.seq2seq.helper import Helper as Helper
from headrace.contrib.seq2seq.helper import InferenceHelper as InferenceHelper
from headrace.contrib.seq2seq.attention import LuongAttention as LuongAttention
from headrace.contrib.seq2seq.monotonic import LuongMonotonicAttention as LuongMonotonicAttention
from headrace.contrib.seq2seq.helper import SampleEmbeddingHelper as SampleEmbeddingHelper
from headrace.contrib.seq2seq.scheduled import ScheduledEmbeddingTrainingHelper as ScheduledEmbeddingTrainingHelper
from headrace.contrib.seq2seq.scheduled import ScheduledOutputTrainingHelper as ScheduledOutputTrainingHelper
from headrace.contrib.seq2seq.helper import TrainingHelper as TrainingHelper
from headrace.contrib.seq2seq.decoder import dynamic_decode as dynamic_decode
from headrace.ops.nn.gather_tree import gather_tree as gather_tree
from headrace.contrib.seq2seq.attention import hardmax as hardmax
from headrace.contrib.seq2seq.monotonic import monotonic_attention as monotonic_attention
from headrace.contrib.seq2seq.monotonic import monotonic_probability_fn as monotonic_probability_fn
from headrace.contrib.seq2seq.monotonic import safe_cumprod as safe_cumprod
from headrace.contrib.seq2seq.loss import sequence_loss as sequence_loss
from headrace.contrib.seq2seq.beam_search_decoder import tile_batch as tile_batch
