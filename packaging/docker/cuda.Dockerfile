# The command line of Antidiag on NVIDIA GPUs with CUDA 13 (driver 580 or newer), without Qt, as a user without rights.
#
#   docker build -f packaging/docker/cuda.Dockerfile -t antidiag:cuda .
#   docker run --rm --gpus all -v "$PWD:/data" antidiag:cuda msa globins.fasta --out globins.sto
FROM python:3.12-slim AS build
WORKDIR /source
COPY . .
RUN python packaging/docker/requirements.py cuda13 > /requirements.txt \
    && python -m venv /opt/antidiag \
    && /opt/antidiag/bin/pip install --no-cache-dir --no-compile -r /requirements.txt \
    && /opt/antidiag/bin/pip install --no-cache-dir --no-compile --no-deps . \
    && /opt/antidiag/bin/pip uninstall -y pip

FROM python:3.12-slim
COPY --from=build /opt/antidiag /opt/antidiag
RUN useradd --create-home --uid 1000 antidiag && install -d -o antidiag /data /home/antidiag/.cache
# The container toolkit brings the driver in; CuPy and NVRTC come with the extra, so no CUDA image is needed.
ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility
ENV PATH=/opt/antidiag/bin:$PATH
USER 1000
WORKDIR /data
# Compiled code is kept here: mount a volume, and the next container compiles nothing.
VOLUME /home/antidiag/.cache
ENTRYPOINT ["antidiag"]
CMD ["--help"]
