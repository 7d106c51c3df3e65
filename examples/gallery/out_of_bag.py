from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer

import plaintree as pt

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
forest = pt.RandomForestClassifier(n_estimators=200, oob_score=True).fit(X, y)
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
pt.plot_oob(forest, ax=left)
pt.plot_oob(pt.tune_max_features(forest, X, y, factor=1.5), ax=right)
plt.show()
