"""Reads a model folder's config.json, without the transformers library."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from types import SimpleNamespace

SHIPPED_ROOT = Path(__file__).resolve().parents[2]  # the folder that holds minisgl/ and models/


def cached_load_hf_config(model_path: str) -> SimpleNamespace:
    """The fields of model_path/config.json as attributes; a new object each time, read once.

    A relative path is looked for in the working directory, then among the shipped models.
    """
    return SimpleNamespace(**json.loads(_config_text(_find_config(model_path))))


def _find_config(model_path: str) -> Path:
    candidates = [root / model_path / "config.json" for root in (Path.cwd(), SHIPPED_ROOT)]
    for path in candidates:
        if path.is_file():
            return path
    looked = " and ".join(str(path) for path in dict.fromkeys(candidates))
    raise FileNotFoundError(f"no model configuration for {model_path!r}: looked for {looked}")


@cache
def _config_text(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    try:
        fields = json.loads(text)
    except ValueError as error:
        raise ValueError(f"{path} is not JSON: {error}") from error
    if not isinstance(fields, dict):
        raise ValueError(f"{path} must hold one JSON object")
    return text
