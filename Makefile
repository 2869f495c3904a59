# The two commands of the README, and what an operator or a contributor adds to them.
PYTHON ?= python3
export PYTHON

.PHONY: serve test image setup

serve:  ## set everything up and serve the judge at http://127.0.0.1:8000 (PORT=8001 for another port)
	@$(PYTHON) practice/judge.py serve $(if $(PORT),--port $(PORT))

test:  ## set everything up, then lint, types and all tests
	@$(PYTHON) practice/setup.py test $(PYTEST)

image: setup  ## build the sandbox image for the docker backend (BASE=... for another base image)
	@.venv/bin/python -m sandbox.image.build

setup:
	@$(PYTHON) practice/setup.py
