# The command line of Antidiag on the CPU, without Qt, as a user without rights.
#
#   docker build -f packaging/docker/cpu.Dockerfile -t antidiag:cpu .
#   docker run --rm -v "$PWD:/data" antidiag:cpu msa globins.fasta --out globins.sto
FROM python:3.12-slim AS build
WORKDIR /source
COPY . .
RUN python packaging/docker/requirements.py > /requirements.txt \
    && python -m venv /opt/antidiag \
    && /opt/antidiag/bin/pip install --no-cache-dir --no-compile -r /requirements.txt \
    && /opt/antidiag/bin/pip install --no-cache-dir --no-compile --no-deps . \
    && /opt/antidiag/bin/pip uninstall -y pip

FROM python:3.12-slim
COPY --from=build /opt/antidiag /opt/antidiag
RUN useradd --create-home --uid 1000 antidiag && install -d -o antidiag /data /home/antidiag/.cache
ENV PATH=/opt/antidiag/bin:$PATH
USER 1000
WORKDIR /data
# Compiled code is kept here: mount a volume, and the next container compiles nothing.
VOLUME /home/antidiag/.cache
ENTRYPOINT ["antidiag"]
CMD ["--help"]
