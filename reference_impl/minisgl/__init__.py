"""minisgl: a small LLM inference engine, written chapter by chapter; the trusted answer of the problems."""
