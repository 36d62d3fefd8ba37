"""tf.random: random numbers."""

HOMES: dict[str, str] = {
    "ops.nn.candidates": "all_candidate_sampler fixed_unigram_candidate_sampler learned_unigram_candidate_sampler "
    "log_uniform_candidate_sampler uniform_candidate_sampler",
    "core.random_seed": "get_seed set_random_seed",
    "ops.random.normal": "stateless_normal stateless_truncated_normal truncated_normal",
    "ops.random.sampling": "categorical multinomial stateless_categorical stateless_multinomial",
    "ops.random.uniform": "stateless_uniform",
}

SPELLED: dict[str, str] = {
    "gamma": "ops.random.sampling.random_gamma",
    "normal": "ops.random.normal.random_normal",
    "poisson": "ops.random.sampling.random_poisson",
    "shuffle": "ops.random.shuffle.random_shuffle",
    "uniform": "ops.random.uniform.random_uniform",
}

NESTED: dict[str, dict[str, str]] = {
    "experimental": {
        "state.random_generators": "Generator create_rng_state get_global_generator set_global_generator",
    },
}
