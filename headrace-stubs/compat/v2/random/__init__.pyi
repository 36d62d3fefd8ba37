# Made by tools/make_stubs.py.
from typing import Any

__all__ = ['all_candidate_sampler', 'categorical', 'experimental', 'fixed_unigram_candidate_sampler', 'gamma', 'learned_unigram_candidate_sampler', 'log_uniform_candidate_sampler', 'normal', 'poisson', 'set_seed', 'shuffle', 'stateless_categorical', 'stateless_normal', 'stateless_truncated_normal', 'stateless_uniform', 'truncated_normal', 'uniform', 'uniform_candidate_sampler']
from headrace.random import all_candidate_sampler as all_candidate_sampler
from headrace.random import categorical as categorical
from headrace.compat.v2.random import experimental as experimental
from headrace.random import fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler
from headrace.random import gamma as gamma
from headrace.random import learned_unigram_candidate_sampler as learned_unigram_candidate_sampler
from headrace.random import log_uniform_candidate_sampler as log_uniform_candidate_sampler
from headrace.random import normal as normal
poisson: Any
set_seed: Any
from headrace.random import shuffle as shuffle
from headrace.random import stateless_categorical as stateless_categorical
from headrace.random import stateless_normal as stateless_normal
from headrace.random import stateless_truncated_normal as stateless_truncated_normal
from headrace.random import stateless_uniform as stateless_uniform
from headrace.random import truncated_normal as truncated_normal
from headrace.random import uniform as uniform
from headrace.random import uniform_candidate_sampler as uniform_candidate_sampler
