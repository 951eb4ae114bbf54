"""Text to terms on Arrow arrays: the one tokenizer that training, scoring and local use share (no pyspark)."""

from nbspark.text.normalise import has_replacement_character
from nbspark.text.options import TokenOptions
from nbspark.text.token_lists import TokenLists
from nbspark.text.tokenizer import TOKENIZER_VERSION, Tokenizer

__all__ = ["TOKENIZER_VERSION", "TokenLists", "TokenOptions", "Tokenizer", "has_replacement_character"]
