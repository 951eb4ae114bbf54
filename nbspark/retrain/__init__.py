"""A scheduled retrain: challenger and champion judged on the same documents, by models on Spark or in this process."""
