"""Two models on the same documents: what each said of each, as small tables that tests of significance read."""
