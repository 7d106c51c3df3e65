"""Worker processes, one for each open table, and the frames that go to and from them."""
