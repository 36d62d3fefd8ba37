# What the article on eager execution takes for granted where it shows a graph, in cells.
# %%
sess = tf.Session()
