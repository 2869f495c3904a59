"""Grading one submission: cases run in a trusted process, the submission in a cell."""
