"""Counts to a model that can score: vocabularies, priors, pseudo-counts, likelihoods."""
