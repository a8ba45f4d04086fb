# The gateway: docker run --publish 127.0.0.1:8080:8080 IMAGE serve --host 0.0.0.0 --node https://node.example
FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY cli/package.json ./cli/
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts && rm -r cli/src cli/generated

FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
COPY --from=build /build/cli ./cli
RUN install --directory --owner node /data
WORKDIR /data
USER node
EXPOSE 8080
ENTRYPOINT ["node", "/app/cli/dist/main.js"]
CMD ["serve", "--host", "0.0.0.0"]
