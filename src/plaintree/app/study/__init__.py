"""What each command finds out, as plain values: no flags, no printing."""
