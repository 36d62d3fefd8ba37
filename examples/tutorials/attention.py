# %% [markdown]
# # A sequence model with attention
#
# An encoder reads a sequence, a decoder writes another, and attention lets the decoder look back at what was read. The
# task is small enough to learn in seconds and to see through: write the sequence backwards. What was attended to then has
# to be a falling line.

# %%
import matplotlib.pyplot as plt
import numpy as np

import headrace as tf

seq2seq = tf.contrib.seq2seq
SYMBOLS, START, END = 12, 12, 13  # symbols are 0 .. 11; two more begin and end what is written
LONGEST, UNITS = 10, 64
state = np.random.RandomState(3)


def examples(count):
    """Sequences of 4 to 10 symbols, padded with END, and their lengths."""
    lengths = state.randint(4, LONGEST + 1, size=count)
    sequences = np.full([count, LONGEST], END)
    for row, length in zip(sequences, lengths):
        row[:length] = state.randint(SYMBOLS, size=length)
    return sequences, lengths


def backwards(sequences, lengths):
    """What is to be written: the sequences from their last symbol to the first, then END."""
    written = np.full([len(sequences), LONGEST + 1], END)
    for row, sequence, length in zip(written, sequences, lengths):
        row[:length] = sequence[:length][::-1]
    return written


# %% [markdown]
# ## The encoder
#
# `dynamic_rnn` runs a cell over time, as many steps as the longest sequence of the batch has; `sequence_length` stops each
# row at its own end.

# %%
tf.set_random_seed(5)
source = tf.placeholder(tf.int32, [None, LONGEST], name="source")
lengths = tf.placeholder(tf.int32, [None], name="lengths")
target = tf.placeholder(tf.int32, [None, LONGEST + 1], name="target")

embedding = tf.get_variable("embedding", [SYMBOLS + 2, UNITS])
read = tf.nn.embedding_lookup(embedding, source)
memory, last = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(UNITS), read, sequence_length=lengths, dtype=tf.float32)

# %% [markdown]
# ## Attention and the decoder
#
# The mechanism keeps the encoder's outputs; the wrapper makes a cell of another one that looks at them in every step.
# Training feeds the decoder what it should have written; afterwards it is fed what it wrote itself.

# %%
attention = seq2seq.BahdanauAttention(UNITS, memory, memory_sequence_length=lengths)
cell = seq2seq.AttentionWrapper(
    tf.nn.rnn_cell.GRUCell(UNITS), attention, attention_layer_size=UNITS, alignment_history=True
)
scores_of = tf.layers.Dense(SYMBOLS + 2, use_bias=False, name="scores")
batch = tf.shape(source)[0]
begin = cell.zero_state(batch, tf.float32).clone(cell_state=last)
starts = tf.fill([batch], START)

fed = tf.concat([starts[:, tf.newaxis], target[:, :-1]], axis=1)
whole = tf.fill([batch], LONGEST + 1)
teacher = seq2seq.TrainingHelper(tf.nn.embedding_lookup(embedding, fed), whole)
with tf.variable_scope("decoder"):
    taught, _, _ = seq2seq.dynamic_decode(seq2seq.BasicDecoder(cell, teacher, begin, scores_of))
with tf.variable_scope("decoder", reuse=True):
    alone = seq2seq.GreedyEmbeddingHelper(embedding, starts, END)
    decoder = seq2seq.BasicDecoder(cell, alone, begin, scores_of)
    outputs, final, _ = seq2seq.dynamic_decode(decoder, maximum_iterations=LONGEST + 1)
attended = final.alignment_history.stack()  # [time, batch, source]

weights = tf.sequence_mask(lengths + 1, LONGEST + 1, dtype=tf.float32)
loss = seq2seq.sequence_loss(taught.rnn_output, target, weights)
optimizer = tf.train.AdamOptimizer(5e-3)
gradients, variables = zip(*optimizer.compute_gradients(loss))
clipped, _ = tf.clip_by_global_norm(gradients, 5.0)
train = optimizer.apply_gradients(zip(clipped, variables))

# %% [markdown]
# ## Training

# %%
losses = []
sess = tf.Session()
sess.run(tf.global_variables_initializer())
for _ in range(400):
    sequences, sizes = examples(64)
    feeds = {source: sequences, lengths: sizes, target: backwards(sequences, sizes)}
    losses.append(sess.run([train, loss], feeds)[1])
plt.plot(losses)
plt.xlabel("step")
plt.ylabel("loss")
plt.show()

# %% [markdown]
# ## What it writes, and where it looks

# %%
sequences, sizes = examples(200)
wanted = backwards(sequences, sizes)
written, looked = sess.run([outputs.sample_id, attended], {source: sequences, lengths: sizes})
right = [np.array_equal(w[: n + 1], t[: n + 1]) for w, t, n in zip(written, wanted, sizes)]
print("written without a mistake: %d of 200" % sum(right))
for row in range(3):
    print("read", sequences[row, : sizes[row]], " wrote", written[row, : sizes[row]])

# %%
row = int(np.argmax(sizes))
plt.imshow(looked[: sizes[row], row, : sizes[row]], cmap="magma")
plt.xlabel("symbol read")
plt.ylabel("symbol written")
plt.show()
sess.close()

# %% [markdown]
# The line falls: to write its first symbol the decoder looks at the last one that was read, and so on to the front.
