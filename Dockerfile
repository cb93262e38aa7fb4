# syntax=docker/dockerfile:1
# The controller: docker build -t hugginggpt .
# The model server: docker build -t hugginggpt-models --build-arg EXTRAS=experts,models .   (with torch: some gigabytes)
FROM python:3.12-slim AS build
ARG EXTRAS=experts,goals,mcp,redis,postgres,s3
WORKDIR /src
COPY . .
RUN python -m venv /app && /app/bin/pip install --no-cache-dir ".[${EXTRAS}]"

FROM python:3.12-slim
COPY --from=build /app /app
RUN useradd --create-home --uid 10001 jarvis && install -d -o jarvis -g jarvis /data
ENV PATH=/app/bin:$PATH XDG_DATA_HOME=/data PYTHONUNBUFFERED=1
USER 10001
VOLUME /data
EXPOSE 8004
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8004/healthz', timeout=4)"]
ENTRYPOINT ["hugginggpt"]
CMD ["--mode", "server"]
