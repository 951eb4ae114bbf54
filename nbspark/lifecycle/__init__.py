"""The life of a model: each change is a pure function from a version to the next one's batches and options."""
