"""Everything that touches learner code: zygotes, cells, limits, the wire and the image."""
