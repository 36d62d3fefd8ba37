# Made by tools/make_stubs.py.

__all__ = ['all_candidate_sampler', 'categorical', 'experimental', 'fixed_unigram_candidate_sampler', 'gamma', 'get_seed', 'learned_unigram_candidate_sampler', 'log_uniform_candidate_sampler', 'multinomial', 'normal', 'poisson', 'set_random_seed', 'shuffle', 'stateless_categorical', 'stateless_multinomial', 'stateless_normal', 'stateless_truncated_normal', 'stateless_uniform', 'truncated_normal', 'uniform', 'uniform_candidate_sampler']
from headrace.ops.nn.candidates import all_candidate_sampler as all_candidate_sampler
from headrace.ops.random.sampling import categorical as categorical
from headrace.random import experimental as experimental
from headrace.ops.nn.candidates import fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler
from headrace.ops.random.sampling import random_gamma as gamma
from headrace.core.random_seed import get_seed as get_seed
from headrace.ops.nn.candidates import learned_unigram_candidate_sampler as learned_unigram_candidate_sampler
from headrace.ops.nn.candidates import log_uniform_candidate_sampler as log_uniform_candidate_sampler
from headrace.ops.random.sampling import multinomial as multinomial
from headrace.ops.random.normal import random_normal as normal
from headrace.ops.random.sampling import random_poisson as poisson
from headrace.core.random_seed import set_random_seed as set_random_seed
from headrace.ops.random.shuffle import random_shuffle as shuffle
from headrace.ops.random.sampling import stateless_categorical as stateless_categorical
from headrace.ops.random.sampling import stateless_multinomial as stateless_multinomial
from headrace.ops.random.normal import stateless_normal as stateless_normal
from headrace.ops.random.normal import stateless_truncated_normal as stateless_truncated_normal
from headrace.ops.random.uniform import stateless_uniform as stateless_uniform
from headrace.ops.random.normal import truncated_normal as truncated_normal
from headrace.ops.random.uniform import random_uniform as uniform
from headrace.ops.nn.candidates import uniform_candidate_sampler as uniform_candidate_sampler
