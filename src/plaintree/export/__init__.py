"""A tree in other languages: each module here writes a tree as text for one kind of reader."""
