"""Ways to bring queued judgements to a grader, behind one seam."""
