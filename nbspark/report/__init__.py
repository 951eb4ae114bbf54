"""A page to look at: what a model is worth, where it errs and why, in one file that needs no network."""
