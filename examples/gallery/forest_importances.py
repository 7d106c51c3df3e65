from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer

import plaintree as pt

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
forest = pt.RandomForestClassifier(n_estimators=100).fit(X, y)
pt.plot_importances(forest, top=8)
plt.show()
