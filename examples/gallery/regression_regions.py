from matplotlib import pyplot as plt
from sklearn.datasets import load_diabetes

import plaintree as pt

data = load_diabetes(as_frame=True, scaled=False)
X = data.data[["bmi", "bp"]].rename(columns={"bp": "blood pressure"})
y = data.target.rename("progression of diabetes")
model = pt.CARTRegressor(max_leaf_nodes=8).fit(X, y)
pt.plot_regions(model, X, y)
plt.show()
