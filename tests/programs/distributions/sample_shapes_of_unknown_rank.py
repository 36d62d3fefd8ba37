"""Numbers of samples that the graph knows no rank of: scalars, vectors of one and of several."""

import tensorflow as tf

results = {}
D = tf.distributions
made = {
    "Bernoulli": lambda: D.Bernoulli(probs=[0.2, 0.6]),
    "Normal": lambda: D.Normal([0.0, 1.0], 2.0),
    "Categorical": lambda: D.Categorical([[0.0, 1.0]]),
    "Exponential": lambda: D.Exponential(1.0),
    "transformed": lambda: tf.contrib.distributions.TransformedDistribution(
        D.Normal(0.0, 1.0), tf.contrib.distributions.bijectors.Exp()
    ),
}
for name, make in made.items():
    for count in (3, [3], [2, 2]):
        with tf.Graph().as_default(), tf.Session() as sess:
            tf.set_random_seed(1)
            number = tf.placeholder(tf.int32)
            results[f"{name} {count}"] = sess.run(make().sample(number, seed=42), {number: count})
