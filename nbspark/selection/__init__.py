"""Which options to read counts under: folds, cross-validation from counts, tuning, and whether a difference is one."""
