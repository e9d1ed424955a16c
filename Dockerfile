# The environment of a checkout, for clusters that run containers: docs/clusters.md. The steps are those of 'make setup'.
#   docker build --tag recsens .
FROM python:3.11-slim-bookworm

# numba compiles with its own compiler. Models of the library implicit need libgomp1.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git libgomp1 make \
    && rm -rf /var/lib/apt/lists/*

# The image holds the libraries and a copy of the sources. Jobs work in the checkout that is mounted, whose sources they import.
WORKDIR /opt/recsens
COPY Makefile PACKAGE.md LICENSE pyproject.toml requirements.lock Snakefile environment.yml ./
COPY src ./src
COPY workflow ./workflow
COPY config ./config
RUN make setup

# Whoever runs the image may write caches.
ENV PATH=/opt/recsens/.venv/bin:$PATH HOME=/tmp
CMD ["recsens", "--help"]
