from matplotlib import pyplot as plt
from sklearn.datasets import load_iris

import plaintree as pt

iris = load_iris(as_frame=True)
X = iris.data.rename(columns=lambda name: name.removesuffix(" (cm)"))
y = iris.target_names[iris.target]
shown = ["petal length", "petal width", "sepal length"]
model = pt.CARTClassifier(min_samples_leaf=2).fit(X[shown], y)
pt.plot_regions(model, X[shown], y, features=shown)
plt.show()
