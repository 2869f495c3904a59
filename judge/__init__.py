"""The domain: problems, submissions, grading, scores, storage, dispatch, command line. No Flask here."""

VERSION = "0.1.0"
