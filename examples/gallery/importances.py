from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer

import plaintree as pt

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
model = pt.CARTClassifier().fit(X, y)
pt.plot_importances(model, top=8)
plt.show()
