"""Documents to scores: one kernel, and two plans that bring the model to it."""
