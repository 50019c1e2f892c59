FROM python:3.13-slim AS build
WORKDIR /src
COPY pyproject.toml requirements.lock README.md LICENSE ./
COPY src src
COPY merlin_bridge merlin_bridge
ARG EXTRAS=serve
RUN python -m venv /opt/factreasoner \
    && sed '/--hash/d' requirements.lock > constraints.txt \
    && /opt/factreasoner/bin/pip install --no-cache-dir --no-compile --constraint constraints.txt ".[$EXTRAS]"

FROM python:3.13-slim
COPY --from=build /opt/factreasoner /opt/factreasoner
RUN install -d -o 65532 -g 65532 /work
ENV PATH=/opt/factreasoner/bin:$PATH HOME=/work PYTHONUNBUFFERED=1
WORKDIR /work
USER 65532:65532
EXPOSE 8070
ENTRYPOINT ["factreasoner"]
CMD ["serve", "--host", "0.0.0.0", "--token-env", "SERVE_TOKEN"]
