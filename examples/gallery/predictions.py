from matplotlib import pyplot as plt
from sklearn.datasets import load_diabetes

import plaintree as pt

X, y = load_diabetes(return_X_y=True, as_frame=True)
y = y.rename("progression")
X_test, y_test = X[::2], y[::2]
learners = {
    "one tree": pt.CARTRegressor(pruning="cost_complexity", pruning_options={"cp": 0.01}),
    "forest": pt.RandomForestRegressor(200, random_state=0),
}
figure, axes = plt.subplots(1, 2, figsize=(9, 4.5), layout="constrained")
for ax, (name, learner) in zip(axes, learners.items(), strict=True):
    pt.plot_predictions(learner.fit(X[1::2], y[1::2]), X_test, y_test, ax=ax)
    ax.set_title(name)
plt.show()
