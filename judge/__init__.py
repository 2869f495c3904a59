"""The domain: problems, submissions, grading, scores, storage, dispatch, command line. No Flask here."""
