"""The studio: a page in the browser in which a tree is grown, questioned, pruned and taught."""
