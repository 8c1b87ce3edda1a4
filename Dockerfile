# Gatehouse as a container. Build: docker build --tag gatehouse . ; docs/deploying.md says how for both architectures.
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim
ARG BASE_IMAGE=docker.io/library/debian:bookworm-slim

# The same as what npm would install from the published package, with the console built.
FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
COPY . .
RUN node_modules/.bin/node --disable-warning=ExperimentalWarning scripts/prepack.ts \
  && npm pack --ignore-scripts --loglevel=error --pack-destination /tmp \
  && mkdir -p /opt && tar -xzf /tmp/gatehouse-*.tgz -C /opt && mv /opt/package /opt/gatehouse \
  && mv node_modules /opt/gatehouse/node_modules \
  && rm -rf /opt/gatehouse/node_modules/.cache /opt/gatehouse/node_modules/node-linux-*/include \
    /opt/gatehouse/node_modules/node-linux-*/share

# Node comes with the packages, hashed in the lockfile: what is below it needs a C library and a shell for initdb.
FROM ${BASE_IMAGE}
# A new volume belongs to whoever its folder in the image belongs to.
RUN groupadd --gid 10001 gatehouse \
  && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/gatehouse --shell /usr/sbin/nologin gatehouse \
  && install -d -m 0700 -o 10001 -g 10001 /var/lib/gatehouse /backups
COPY --from=build /opt/gatehouse /opt/gatehouse
RUN ln -s /opt/gatehouse/bin/gatehouse.mjs /usr/local/bin/gatehouse
ENV PATH=/opt/gatehouse/node_modules/.bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  HOST=0.0.0.0 PORT=8080 GATEHOUSE_DATA=/var/lib/gatehouse NODE_ENV=production
USER 10001:10001
WORKDIR /var/lib/gatehouse
VOLUME /var/lib/gatehouse
EXPOSE 8080
STOPSIGNAL SIGTERM
# It listens when its migrations are done, which wait an hour for a backup. The first answer ends the period.
HEALTHCHECK --interval=10s --timeout=5s --start-period=120m --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/api/readiness-check`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--disable-warning=ExperimentalWarning", "/opt/gatehouse/src/main.ts"]
CMD ["serve"]
