"""A tree as a picture: coordinates, marks, colours, and how they are written."""
