"""The domain: problems, submissions, grading, scores, storage, dispatch and the command line. No Flask here."""
