from matplotlib import pyplot as plt

import plaintree as pt

tables = {
    "AND": pt.datasets.load_and(),
    "OR": pt.datasets.load_or(),
    "XOR": pt.datasets.load_xor(),
}
figure, axes = plt.subplots(1, 3, figsize=(9, 3.2), layout="constrained")
for ax, (name, (X, y)) in zip(axes, tables.items(), strict=True):
    pt.plot_regions(pt.ID3Classifier().fit(X, y), X, y, ax=ax)
    ax.set_title(name)
for ax in axes[:-1]:
    ax.get_legend().remove()
plt.show()
