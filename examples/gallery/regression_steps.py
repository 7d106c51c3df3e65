import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

import plaintree as pt

random = np.random.default_rng(0)
X = pd.DataFrame({"day": np.sort(random.random(150) * 20)})
y = pd.Series(np.sin(X["day"] / 2) * 8 + 12 + random.normal(size=150) * 2, name="temperature")
figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True, layout="constrained")
for ax, leaves in zip(axes, (4, 40), strict=True):
    model = pt.CARTRegressor(max_leaf_nodes=leaves).fit(X, y)
    pt.plot_regions(model, X, y, ax=ax)
    ax.set_title(f"{leaves} leaves")
plt.show()
