"""tf.compat.v2.random: the names that mean the same in 1.x, and those that take other arguments there."""

HOMES = {
    "random": "all_candidate_sampler categorical fixed_unigram_candidate_sampler gamma "
    "learned_unigram_candidate_sampler log_uniform_candidate_sampler normal shuffle stateless_categorical "
    "stateless_normal stateless_truncated_normal stateless_uniform truncated_normal uniform "
    "uniform_candidate_sampler",
}

NESTED = {
    "experimental": {
        "random.experimental": "Generator create_rng_state get_global_generator set_global_generator",
    },
}

SPELLED = {
    "poisson": "api.v2_arguments.random__poisson",
    "set_seed": "api.v2_arguments.random__set_seed",
}
