# The first stage has the tools to build; the second contains only what runs. Debian and not Alpine, because the telemetry
# engine exists for glibc only.
FROM node:24-trixie-slim AS build
WORKDIR /app
COPY . .
# Builds the dashboard, the API reference and the program. The Node that npm installs for machines with an old one is
# not needed here.
RUN npm ci --no-audit --no-fund \
	&& npm run --silent build \
	&& npm prune --omit=dev --no-audit --no-fund --ignore-scripts \
	&& rm -rf node_modules/node-linux-*

FROM node:24-trixie-slim
LABEL org.opencontainers.image.title="Signalbox" \
	org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production \
	SIGNALBOX_HOST=0.0.0.0 \
	SIGNALBOX_DATA_DIR=/data
# The sandbox of hosted programs. It needs user namespaces; without them, an owner must agree to run programs unprotected.
RUN apt-get update && apt-get install --yes --no-install-recommends bubblewrap && rm -rf /var/lib/apt/lists/*
RUN groupadd --gid 10001 signalbox \
	&& useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin signalbox \
	&& install --directory --owner=10001 --group=10001 --mode=0700 /data
WORKDIR /app
COPY --from=build /app ./
USER 10001:10001
# The program writes only to this volume and to /tmp, so the root file system may be read-only.
VOLUME ["/data"]
EXPOSE 7777 4318
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
	CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.SIGNALBOX_PORT || 7777}/readyz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/server/bin/signalbox.mjs"]
CMD ["start"]
