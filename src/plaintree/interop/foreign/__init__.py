"""Trees from elsewhere: other programs' models and printed trees become ordinary trees."""
