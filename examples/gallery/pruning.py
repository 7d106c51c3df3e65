import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer

import plaintree as pt

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
noise = np.random.default_rng(0).random(len(y)) < 0.15
y = np.where(noise, 1 - y, y)
model = pt.CARTClassifier().fit(X, y)
pt.plot_pruning(pt.pruning.pruning_path(model, X, y, random_state=0))
plt.show()
