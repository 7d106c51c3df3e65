import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_iris

import plaintree as pt

iris = load_iris(as_frame=True)
X = iris.data.rename(columns=lambda name: name.removesuffix(" (cm)"))
y = iris.target_names[iris.target]
train = np.arange(len(y)) % 2 == 0
model = pt.CARTClassifier().fit(X[train], y[train])
pt.plot_confusion(model, X[~train], y[~train])
plt.show()
