# The images of docker-compose.yml; docs/operating.md says how they are used.
# BASE is an image with Python 3.11 to 3.14. Where it has torch and numpy already, it is taken as it is.
ARG BASE=python:3.12-slim

# An interpreter with torch: what the cell and the services have in common.
FROM ${BASE} AS libraries
ARG PIP_INDEX_URL
ARG TORCH_INDEX
COPY pyproject.toml /opt/setup/
COPY practice/setup.py practice/setup_words.json /opt/setup/practice/
COPY deploy /opt/setup/deploy
RUN python3 /opt/setup/deploy/install.py libraries && rm -rf /opt/setup
ENV PYTHONPATH=/opt/libraries
COPY sandbox/cell/__init__.py sandbox/cell/preload.py /opt/warm/cell/
RUN python3 -c "import sys; sys.path.insert(0, '/opt/warm'); from cell import preload; preload.warm_up()"

# What a submission runs in: no case, no reference, nothing else of ours. The same as sandbox/image/cell.Dockerfile.
FROM libraries AS cell
COPY sandbox/cell /opt/judge/cell
USER 65534:65534
ENTRYPOINT ["python3", "-s", "-P", "-c", "import sys; sys.path.insert(0, '/opt/judge'); from cell import zygote; zygote.main(sys.argv[1:])"]

# The services: what changes rarely comes first.
FROM libraries AS app
ARG PIP_INDEX_URL
WORKDIR /opt/judge
COPY pyproject.toml ./
COPY practice ./practice
COPY deploy ./deploy
RUN python3 deploy/install.py packages
COPY web/bundle ./web/bundle
COPY web/static ./web/static
RUN python3 deploy/install.py editor
COPY . .
# A setgid folder: the grader, another user than the web server, lets this group alone reach its socket.
RUN mkdir -p /data /run/judge && chown 10001:10001 /data /run/judge && chmod 700 /data && chmod 2770 /run/judge \
    && chmod -R a+rX deploy judge practice problems reference_impl sandbox web
ENV HOME=/tmp PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
USER 10001:10001
ENTRYPOINT ["/opt/judge/.venv/bin/python", "practice/judge.py"]
CMD ["--help"]
