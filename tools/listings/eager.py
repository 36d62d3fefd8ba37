# What the article on eager execution takes for granted, in cells.
# %% [always]
import tensorflow.contrib.eager as tfe

tfe.enable_eager_execution()
# %%
logdir, iterations, loss = "log", 300, 0.5
