from matplotlib import pyplot as plt
from sklearn.datasets import load_iris

import plaintree as pt

iris = load_iris(as_frame=True)
X = iris.data.rename(columns=lambda name: name.removesuffix(" (cm)"))
y = iris.target_names[iris.target]
model = pt.CARTClassifier().fit(X, y)
pt.plot_tree(model, max_depth=3)
plt.show()
