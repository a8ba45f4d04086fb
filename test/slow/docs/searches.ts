import { readdirSync, readFileSync } from "node:fs";

/** Words that no comment of a page has, or that another page explains better: the pages that people mean, and what they type. */
const others: Readonly<Record<string, string>> = {
  "api/vegaprotocol-client.html#connectionerror": "ConnectionError",
  "api/vegaprotocol-client.html#createclient": "createClient",
  "api/vegaprotocol-client.html#formatunits": "formatUnits",
  "api/vegaprotocol-client.html#listvotes": "listVotes",
  "api/vegaprotocol-client/pool.html#nodepool": "nodePool",
  assistants: "llms",
  "command-line": "cli, csv, export, jsonl, missing records",
  "command-line.html#export": "download csv, save to file",
  "command-line.html#export-to-a-file": "bulk download",
  "command-line.html#which-node": "compare two nodes",
  "contributing|testing": "mutation testing",
  engines: "apache arrow, bigquery, snowflake",
  "engines.html#pandas": "pandas",
  "engines|sync": "duckdb",
  errors: "error code",
  "errors.html#abort-a-call": "abort",
  "errors.html#cors-errors-in-browsers": "CORS",
  "errors.html#cors|troubleshooting.html#cors": "blocked by cors policy",
  "errors.html#retry|troubleshooting": "502 bad gateway",
  "errors.html#timeouts|troubleshooting": "request timed out",
  "find-a-node": "graphql, is vega still running, node address",
  "find-a-node|compatibility": "grpc",
  following: "exactly once",
  "following.html#wait-for-a-record": "wait for confirmation",
  "following|sync": "checkpoint",
  "getting-started": "how to install",
  "getting-started.html#convert-values-bigint-dates-and-amounts": "amount, bigint, date",
  "getting-started.html#use-a-real-node|find-a-node": "connect to node",
  openapi: "postman",
  "openapi|getting-started": "endpoints",
  "openapi|operations": "swagger",
  operations: "transfers",
  "operations.html#check": "sign transaction",
  "operations.html#check-a-signed-transaction": "broadcast transaction",
  "operations.html#list-balance": "filter by asset",
  "operations.html#list-balance-changes|reports": "deposits",
  "operations.html#list-balance-changes|scans": "filter by date",
  "operations.html#list-votes": "get all votes",
  pagination: "get all pages, page size",
  "pagination.html#page-size": "sort order",
  performance: "benchmark, how fast",
  "performance.html#exports-and-memory": "memory usage",
  production: "alert me",
  "rate-limits": "rate limit, throttling",
  "rate-limits.html#bans": "ban",
  "rate-limits.html#turn": "turn off rate limit",
  "rate-limits|troubleshooting": "403 forbidden",
  "recipes-next.html#nextjs-cache|recipes-ui": "caching",
  "recipes-servers.html#cloudflare-workers": "aws lambda",
  "recipes-servers.html#express-and-fastify": "express, fastify",
  "recipes-servers.html#opentelemetry": "opentelemetry",
  "recipes-servers.html#other-endpoints": "market price",
  "recipes-ui": "react, react query, svelte",
  "recipes-ui.html#infinite-scroll": "infinite scroll",
  "recipes.html#react-native": "react native",
  "recipes.html#websockets-subscriptions-and-webhooks": "webhook, websocket",
  "recipes.html#websockets|following|recipes-ui.html#live": "real time updates",
  reports: "epochs, margin",
  "reports.html#how-did-the-vote": "proposal passed",
  "reports.html#may-i": "how many transactions left",
  "reports.html#unknown|explore.html#unknown": "balance undefined",
  "reports.html#which-signatures": "ethereum bridge",
  scans: "historical balance, historical data, history, scan",
  "scans.html#coverage": "coverage",
  "scans.html#missing-history|troubleshooting": "old data missing",
  serve: "curl",
  "sync|engines": "parquet, postgres",
  testing: "mock, mock fetch, vitest",
  "testing.html#defects-and-faults": "simulate error",
  "testing.html#mock-data": "seed data",
  "testing.html#mock-service-worker": "msw",
  "testing|compatibility": "jest",
  troubleshooting: "rejected as spam",
  "troubleshooting.html#(cors|econnrefused)|errors.html#cors": "failed to fetch",
  "troubleshooting.html#econnrefused": "ECONNREFUSED",
  "troubleshooting.html#fewer-records|pagination": "only first page",
  "troubleshooting.html#status-501-or-404": "404 not found",
  "troubleshooting.html#types": "cannot find module",
  "validation.html#schemas": "trpc",
};

const folder = new URL("../../../docs/", import.meta.url);

/** The words of the comments `<!-- search: … -->`, each with the pages that have it. */
function commented(): Map<string, string> {
  const found = new Map<string, string>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".md"))) {
    const page = file.replace(/\.md$/, "\\.html");
    const comments = readFileSync(new URL(file, folder), "utf8").matchAll(/^<!-- search: ([^>]+) -->/gm);
    for (const word of [...comments].flatMap(([, words = ""]) => words.split(/,\s+/)))
      found.set(word, [...(found.get(word)?.split("|") ?? []), page].join("|"));
  }
  return found;
}

/** Each search, with the pages of which it must find one first. */
export const searches: readonly (readonly [words: string, pages: string])[] = [
  ...new Map([
    ...commented(),
    ...Object.entries(others).flatMap(([page, all]) => all.split(", ").map((words) => [words, page] as const)),
  ]),
];
