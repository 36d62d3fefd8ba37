"""tf.betainc where an argument is NaN, without an end or outside: at 0 and 1 it is 0 and 1 whatever a and b are."""

import numpy as np
import tensorflow as tf

odd = [np.nan, 1.0, 0.0, -1.0, np.inf]
a, b, x = np.meshgrid(odd, odd, [np.nan, 0.0, 1.0, 0.5, -1.0, 2.0], indexing="ij")
results = {}
with tf.Session() as sess:
    for dtype in np.float32, np.float64:
        results[dtype.__name__] = sess.run(tf.betainc(a.astype(dtype), b.astype(dtype), x.astype(dtype)))
