from matplotlib import pyplot as plt

import plaintree as pt

X, y = pt.datasets.load_golf()
model = pt.C45Classifier().fit(X, y)
pt.plot_regions(model, X, y, features=["outlook", "humidity"])
plt.show()
