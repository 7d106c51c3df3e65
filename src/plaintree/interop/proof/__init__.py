"""An exported model is run, and must answer as the model itself does."""
