"""Tools for those who write problems: the gate that proves a problem's cases, and its mutations."""
