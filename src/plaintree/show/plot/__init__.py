"""Pictures by matplotlib (the extra ``plot``): every function takes ``ax`` and returns Axes."""
