"""The image that the docker backend's zygotes run in: how it is built, and what its version is called."""
