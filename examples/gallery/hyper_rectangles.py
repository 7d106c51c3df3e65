import numpy as np
from matplotlib import pyplot as plt

import plaintree as pt

axis = np.arange(-20, 21) / 20
points = np.array([(x1, x2) for x1 in axis for x2 in axis])
x1, x2 = points.T
functions = {
    "sign(3 x1³ x2³), 300 points": (np.sign(3 * x1**3 * x2**3), 300),
    "sign(-2 ∛x1² + 4 x2²), 400 points": (np.sign(-2 * np.cbrt(x1**2) + 4 * x2**2), 400),
}
figure, axes = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
for ax, (name, (classes, n)) in zip(axes, functions.items(), strict=True):
    drawn = np.random.default_rng(4).choice(len(points), size=n, replace=False)
    X = {"x1": points[drawn, 0], "x2": points[drawn, 1]}
    y = classes[drawn].astype(int)
    pt.plot_regions(pt.ID3Classifier(criterion="gain_ratio").fit(X, y), X, y, ax=ax)
    ax.set_title(name)
axes[0].get_legend().remove()
plt.show()
