"""Models as programs of other languages: one plan of what a model does, one writer each."""
