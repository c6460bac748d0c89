# A server of any model folder of whyword, on the CPU, with every explainer. From the root of the repository:
#   docker build -f docker/serve-model.Dockerfile -t whyword-serve-model .
#   docker run -p 8000:8000 -e WHYWORD_TOKEN -v "$PWD/model:/model:ro" whyword-serve-model
# pip takes torch with CUDA, gigabytes that a CPU has no use for, unless TORCH_INDEX names PyTorch's index of CPU builds:
#   docker build --build-arg TORCH_INDEX=URL …
# For an ONNX file, serve.Dockerfile makes a much smaller image without torch.
FROM python:3.11-slim AS build
ARG TORCH_INDEX=
WORKDIR /build
RUN python -m venv --without-pip /venv
RUN pip --python /venv/bin/python install --no-cache-dir ${TORCH_INDEX:+--index-url "$TORCH_INDEX"} torch==2.13.0
COPY pyproject.toml README.md LICENSE constraints.txt ./
COPY src src
RUN pip --python /venv/bin/python install --no-cache-dir -c constraints.txt '.[web,transformers]'

FROM python:3.11-slim
COPY --from=build /venv /venv
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 HF_HUB_OFFLINE=1 HF_HOME=/tmp MPLCONFIGDIR=/tmp
USER 10001:10001
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/readyz', timeout=4)"]
ENTRYPOINT ["whyword", "serve", "/model", "--host", "0.0.0.0"]
