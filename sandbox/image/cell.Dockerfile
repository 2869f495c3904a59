# A zygote's image: the libraries of Dockerfile and sandbox/cell; nothing else of ours.
ARG LIBRARIES
FROM ${LIBRARIES}
COPY cell /opt/judge/cell
USER 65534:65534
ENTRYPOINT ["python3", "-s", "-P", "-c", "import sys; sys.path.insert(0, '/opt/judge'); from cell import zygote; zygote.main(sys.argv[1:])"]
