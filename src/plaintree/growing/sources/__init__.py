"""Sources of counts: blocks in memory, files, Dask and Spark."""
