"""Text to tokens and back."""

from minisgl.tokenizer.detokenize import DetokenizeManager, find_printable_text

__all__ = ["DetokenizeManager", "find_printable_text"]
