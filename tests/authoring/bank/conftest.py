"""The fixture bank is judged by the tests, never collected by them."""

collect_ignore_glob = ["*"]
