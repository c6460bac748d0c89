# A server of an ONNX file that `whyword export` wrote, without torch. From the root of the repository:
#   docker build -f docker/serve.Dockerfile -t whyword-serve .
#   docker run -p 8000:8000 -e WHYWORD_TOKEN -v "$PWD/model-onnx:/model:ro" whyword-serve
FROM python:3.11-slim AS build
WORKDIR /build
RUN python -m venv --without-pip /venv
COPY docker/serve-requirements.txt docker/
RUN pip --python /venv/bin/python install --no-cache-dir --no-deps -r docker/serve-requirements.txt
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN pip --python /venv/bin/python install --no-cache-dir --no-deps .

FROM python:3.11-slim
COPY --from=build /venv /venv
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1
USER 10001:10001
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=15s \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/v2/health/live', timeout=4)"]
ENTRYPOINT ["whyword", "serve", "/model", "--host", "0.0.0.0"]
