from matplotlib import pyplot as plt

import plaintree as pt

X, y = pt.datasets.load_tennis()
model = pt.ID3Classifier().fit(X, y)
pt.plot_tree(model, row=X[0])
plt.show()
