"""The tables, one schema constant each, with its grain. Arrow schemas: kernels and Spark share them.

Totals that cannot be derived travel in the counts table, as GROUPING SETS would give them:

==========  ==========  =========  ==================================================
label       feature     term       the row holds
==========  ==========  =========  ==================================================
set         set         set        tokens and documents of one (label, feature, term)
set         set         null       tokens and documents of one (label, feature); of a
                                   numeric feature also its moments
set         null        null       documents of one label
null        any         any        what became of the rows read: a fact of
                                   ``counting.facts.ROW_FACTS`` in ``feature``, rows in
                                   ``n_docs``; for ``missing`` the feature in ``term``
==========  ==========  =========  ==================================================
"""

from __future__ import annotations

import pyarrow as pa

# What a kernel reads, whatever the user's columns are called: the label and one column a feature.
LABEL_COLUMN = "label"


WEIGHT_COLUMN = "weight"


def feature_column(i: int) -> str:
    """Return the name under which a kernel finds the i-th feature's column."""
    return f"feature_{i}"


# One row per (label, feature, term) seen at least once, and the totals above.
COUNTS = pa.schema(
    [
        pa.field("label", pa.string()),
        pa.field("feature", pa.string()),
        pa.field("term", pa.string()),
        pa.field("n_tokens", pa.float64()),  # occurrences; whole unless documents carry weights
        pa.field("n_docs", pa.float64()),  # documents with at least one occurrence
        # Of a numeric feature's values, else null: the mean and the sum of squared deviations from it.
        pa.field("mean", pa.float64()),
        pa.field("m2", pa.float64()),
        # What these two lack as doubles, so that merging again and again stays exact: the mean is mean + mean_rest.
        pa.field("mean_rest", pa.float64()),
        pa.field("m2_rest", pa.float64()),
    ]
)
MOMENTS = ("mean", "m2", "mean_rest", "m2_rest")
ADDITIVE = ("n_tokens", "n_docs", "m2", "m2_rest")  # what a batch of weight w has w times

# One row per fact, part of the counts and detail: what became of the rows read; see ``counting.facts``.
FACTS = pa.schema([pa.field("fact", pa.string()), pa.field("detail", pa.string()), pa.field("n", pa.float64())])

# One row per Parquet file of counts that a worker wrote.
WRITTEN = pa.schema(
    [
        pa.field("file", pa.string()),
        pa.field("n_bytes", pa.int64()),
        pa.field("sha256", pa.string()),  # hexadecimal
        pa.field("fingerprint", pa.int64()),  # of its counts: what ``counting.fingerprint`` adds up
        pa.field("facts", pa.list_(pa.struct(list(FACTS)))),
    ]
)
COUNT_FILES = pa.schema([*WRITTEN, pa.field("content", pa.binary())])  # the same of a file that is not on disk yet

# One row per (feature, term) and stored batch: the same, packed label by label. What crosses the shuffle where stored
# counts are added up, or every term of a large model is looked at.
# Numbers are bytes (``packing.pack_numbers``), which Spark copies; a list it takes apart and puts together again, and
# it measures an Arrow batch anew with every row: for lists of strings and for nulls in place of lists that takes
# 80 to 130 us a row at 20,000 rows.
PACKED_COUNTS = pa.schema(
    [
        pa.field("feature", pa.string()),
        pa.field("term", pa.string()),
        pa.field("labels", pa.string()),  # as one text, see ``packing.pack_labels``
        pa.field("n_tokens", pa.binary()),  # one double a label, as the next
        pa.field("n_docs", pa.binary()),
        pa.field("moments", pa.binary()),  # MOMENTS of each label, one after the other; else empty
    ]
)

# One row per feature, parcel and stream of documents: the same of many terms, those whose hashes begin alike. What has
# no term is in a parcel of its own. See ``counting.parcels``. Numbers are 32-bit integers where nothing else is said.
PARCELS = pa.schema(
    [
        pa.field("feature", pa.string()),
        pa.field("parcel", pa.int32()),
        pa.field("token_lengths", pa.binary()),  # in bytes
        pa.field("tokens", pa.binary()),  # one after the other
        pa.field("terms", pa.binary()),  # places of the tokens of each term, -1 in front where it has fewer than others
        pa.field("labels", pa.string()),  # as one text, see ``packing.pack_labels``
        pa.field("n_labels", pa.binary()),  # of each term
        pa.field("label_codes", pa.binary()),  # places of these labels, term after term; so the next two
        pa.field("n_tokens", pa.binary()),  # doubles
        pa.field("n_docs", pa.binary()),  # doubles
        pa.field("totals", pa.binary()),  # rows of PACKED_COUNTS without a term, a stream of Arrow's IPC format
    ]
)

# One row per (feature, term) of the vocabulary: what scoring adds up, packed as bytes; see ``events.Parameters``.
TERM_PARAMETERS = pa.schema(
    [
        pa.field("feature", pa.string()),
        pa.field("term", pa.string()),
        pa.field("base", pa.float64()),  # nats, whatever the class
        pa.field("classes", pa.binary()),  # 32-bit integers: places of the labels that saw the term, in string order
        pa.field("lift", pa.binary()),  # doubles, nats, one for each of the classes
    ]
)

# What documents wait for in the join plan: one row per (block of documents, feature, distinct term), and a few rows per
# block that hold its documents. In these the feature is "" and the term names the block and a number.
BLOCKS = pa.schema(
    [
        pa.field("block", pa.binary()),
        pa.field("feature", pa.string()),
        pa.field("term", pa.string()),
        pa.field("documents", pa.binary()),  # a stream of Arrow's IPC format
    ]
)

# One row per (feature, class) and batch of terms: what an event model sums over its terms.
CLASS_SUMS = pa.schema(
    [
        pa.field("feature", pa.string()),
        pa.field("class", pa.int32()),  # position of the label in string order
        pa.field("bias", pa.float64()),
        pa.field("norm", pa.float64()),
    ]
)

# One row per (label, feature, term) seen in training, and one per (label, feature) with a null term:
# the log-likelihood of a term that the class has not seen. Of a complement model it is what the term adds, and of
# features in which unseen terms differ (a table of alphas, complement) there is no row with a null term.
LOG_LIKELIHOODS = pa.schema(
    [
        pa.field("label", pa.string()),
        pa.field("feature", pa.string()),
        pa.field("term", pa.string()),
        pa.field("log_likelihood", pa.float64()),  # nats
    ]
)

# The columns that scoring adds to the user's own; one row per scored document.
PREDICTIONS = pa.schema(
    [
        pa.field("prediction", pa.string()),  # null only when every class is impossible, or a threshold was missed
        pa.field("probability", pa.float64()),  # of the predicted class, also where a threshold withholds it
        pa.field("n_terms", pa.int64()),  # terms of the document, repeats included
        pa.field("n_known", pa.int64()),  # of these, terms in the vocabulary
    ]
)

# Columns that scoring adds on request.
PROBABILITIES = pa.field("probabilities", pa.map_(pa.string(), pa.float64()))  # label -> probability
PROBABILITY_ARRAY = pa.field("probabilities", pa.list_(pa.float64()))  # in string order of the labels
TOP_K = pa.field(
    "top_k",
    pa.list_(pa.struct([pa.field("label", pa.string()), pa.field("probability", pa.float64())])),
)
LOG_LOSS = pa.field("log_loss", pa.float64())  # nats: -log P(true label); null where the label is null or unseen
REASON = pa.field("reason", pa.string())  # why there is no prediction: "impossible", or the threshold that was missed
MODEL_VERSION = pa.field("model_version", pa.int32())  # the version of the stored model that scored

# Why a document got its prediction rather than another class: what each part adds to the difference of the scores of
# the two classes, in nats. prior + bias + terms + other + numbers = difference.
SPANS = pa.list_(pa.struct([pa.field("start", pa.int32()), pa.field("stop", pa.int32())]))  # text[start:stop]
EVIDENCE = pa.struct(
    [
        pa.field("feature", pa.string()),
        pa.field("term", pa.string()),
        pa.field("n", pa.float64()),  # how often it is in the document
        pa.field("contribution", pa.float64()),  # nats; of all its occurrences
        pa.field("spans", SPANS),  # of a text, in code points; else null
    ]
)
EXPLANATION = pa.field(
    "explanation",
    pa.struct(
        [
            pa.field("against", pa.string()),  # the other class
            pa.field("difference", pa.float64()),
            pa.field("prior", pa.float64()),
            pa.field("bias", pa.float64()),  # what an empty document has: the terms of the vocabulary that are absent
            pa.field("terms", pa.list_(EVIDENCE)),  # that add or take most
            pa.field("n_other", pa.int64()),  # known terms that are not listed
            pa.field("other", pa.float64()),  # and what they add together
            pa.field(
                "numbers",
                pa.list_(
                    pa.struct([EVIDENCE.field("feature"), ("value", pa.float64()), ("contribution", pa.float64())])
                ),
            ),
            pa.field(
                "unknown", pa.list_(pa.struct([EVIDENCE.field(name) for name in ("feature", "term", "n", "spans")]))
            ),
        ]
    ),
)
IS_ERROR = pa.field("is_error", pa.bool_())  # whether the prediction is another label than the true one; null without

# One row per (label, feature, rank): the terms that say most for a class, by some measure.
TOP_TERMS = pa.schema(
    [
        pa.field("label", pa.string()),
        pa.field("feature", pa.string()),
        pa.field("rank", pa.int32()),  # from 1
        pa.field("term", pa.string()),
        pa.field("score", pa.float64()),  # see ``insight.measures``
        pa.field("n_tokens", pa.float64()),  # of the term in the class
        pa.field("n_docs", pa.float64()),
        pa.field("all_docs", pa.float64()),  # documents of all classes that have it
    ]
)

# One row per (true label, predicted label) that occurs; label as text, null where the document had none.
CONFUSION = pa.schema(
    [
        pa.field("label", pa.string()),
        pa.field("prediction", pa.string()),
        pa.field("n_docs", pa.int64()),
        pa.field("log_loss", pa.float64()),  # sum over the rows that have one, nats
        pa.field("n_log_loss", pa.int64()),  # how many rows have one
    ]
)

# What a pass over predictions adds up; one row per measure and its keys (``evaluation.tallies``):
#
# ==================  ==============  ============  =========================================================
# measure             label           prediction    place
# ==================  ==============  ============  =========================================================
# pair                the true one    the predicted null; a null label or prediction is one of its own
# log_loss, brier     null            null          null; ``total`` is of the documents' values
# confidence          null            null          2 x bin, and 1 if the prediction is right; of the probability
# coverage            a threshold     null          2 x how many of ``coverage.VALUES`` are reached, and 1 if right
# rank                null            null          of the true label among all, 1 the best; -k: not among the best k
# scores              a class         null          null; ``scores`` says it all, and n_docs
# roc_auc             a class         null          null; ``total`` is the area, ``cross`` how far it may be off
# average_precision   a class         null          the same
# ==================  ==============  ============  =========================================================
TALLIES = pa.schema(
    [
        pa.field("measure", pa.string()),
        pa.field("label", pa.string()),
        pa.field("prediction", pa.string()),
        pa.field("place", pa.int64()),
        pa.field("n_docs", pa.int64()),
        pa.field("weight", pa.float64()),  # of the documents: their sum is weight + weight_rest
        pa.field("weight_rest", pa.float64()),
        pa.field("weight_squares", pa.float64()),
        pa.field("total", pa.float64()),  # of weight x value: total + total_rest
        pa.field("total_rest", pa.float64()),
        pa.field("cross", pa.float64()),  # of weight^2 x value
        pa.field("squares", pa.float64()),  # of weight^2 x value^2
        pa.field("scores", pa.binary()),  # ``evaluation.ranking.ScoreTable`` as bytes
    ]
)

# What two models said of the same documents. One row per (true label, the champion's prediction, the challenger's) that
# occurs, with a null replicate; and one row per resampling of the documents, its labels null: 0 is all of them once.
PAIRED = pa.schema(
    [
        pa.field("replicate", pa.int32()),
        pa.field("label", pa.string()),
        pa.field("champion", pa.string()),  # null where every class was impossible, or there is no champion
        pa.field("challenger", pa.string()),
        pa.field("n_docs", pa.int64()),  # of a resampling: of those that both models give a loss
        pa.field("champion_log_loss", pa.float64()),  # sum over the rows that have one, nats
        pa.field("n_champion_log_loss", pa.int64()),  # how many rows have one
        pa.field("challenger_log_loss", pa.float64()),
        pa.field("n_challenger_log_loss", pa.int64()),
    ]
)

# What documents wait for in the trials of a selection: a few rows per fold that hold its documents.
FOLD_BLOCKS = pa.schema(
    [
        pa.field("fold", pa.string()),
        pa.field("chunk", pa.int32()),  # folds of many documents are scored in several places
        pa.field("documents", pa.binary()),  # a stream of Arrow's IPC format
    ]
)

# What came out of the trials: one row per (setting, fold) and row of its CONFUSION, where ``other`` is null; else in
# ``n_docs`` how many documents of the fold the setting is right about, and the other one is not.
OUTCOMES = pa.schema(
    [
        pa.field("setting", pa.int32()),
        pa.field("other", pa.int32()),
        pa.field("fold", pa.string()),
        *CONFUSION,
    ]
)

# What is doubtful about labels: one row per (label, class that documents with it are counted as) with ``n_docs``, one
# with the number of doubtful documents and no label, and one for each of the most doubtful documents, with a margin.
DOUBTS = pa.schema(
    [
        pa.field("label", pa.string()),
        pa.field("prediction", pa.string()),
        pa.field("n_docs", pa.int64()),
        pa.field("probability", pa.float64()),  # of the label
        pa.field("margin", pa.float64()),  # of the label's probability over the largest of the others, < 0
        pa.field("text", pa.string()),  # the beginning
    ]
)

# One row per class: its probability, summed over the documents labelled so, and their number.
CONFIDENCE = pa.schema(
    [pa.field("class", pa.int32()), pa.field("self_confidence", pa.float64()), pa.field("n_docs", pa.float64())]
)

# What was found in documents: rows per (kind, column, key), whose documents add up, and some that show a document and
# count none. ``insight.quality`` says which kinds and keys there are.
FINDINGS = pa.schema(
    [
        pa.field("kind", pa.string()),
        pa.field("column", pa.string()),  # null of what is of whole documents
        pa.field("key", pa.string()),
        pa.field("label", pa.string()),
        pa.field("n_docs", pa.int64()),
        pa.field("example", pa.string()),  # the beginning of a document
    ]
)

# Terms that nearly all documents of a class have, and nearly no others; one row per (feature, term).
GIVEAWAYS = pa.schema(
    [
        pa.field("feature", pa.string()),
        pa.field("term", pa.string()),
        pa.field("label", pa.string()),
        pa.field("n_docs", pa.float64()),  # of the label that have the term
        pa.field("all_docs", pa.float64()),  # with the term
        pa.field("class_docs", pa.float64()),  # of the label
    ]
)
