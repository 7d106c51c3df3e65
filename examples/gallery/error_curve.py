import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer

import plaintree as pt

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
noise = np.random.default_rng(0).random(len(y)) < 0.15
y = np.where(noise, 1 - y, y)
train = np.arange(len(y)) % 2 == 0
model = pt.CARTClassifier()
curve = pt.pruning.overfitting_curve(model, X[train], y[train], X[~train], y[~train])
pt.plot_overfitting(curve)
plt.show()
