import { boolean, callback, checkedWhenRead, checkOptions, type OptionChecks } from "../arguments/check-options.js";
import { readBaseUrl } from "../arguments/read-value.js";
import { refuse } from "../arguments/refuse.js";
import {
  type AttemptOptions,
  attemptChecks,
  type CallDefaults,
  defaultSettings,
  type HeaderValues,
  withOverrides,
} from "../http/call-options.js";
import type { ObserverEvent } from "../http/events.js";
import type { Validate } from "../http/request.js";
import { connect, type NodePool } from "./node-pool.js";

/** Options of a client. */
export interface ClientOptions extends AttemptOptions {
  /**
   * The address of the node, or a pool of several nodes. An address can have a path; a `/` or `/api/v2` at its end is
   * ignored.
   *
   * @example "https://node.example/datanode"
   */
  baseUrl: string | URL | NodePool;
  /** Headers of every request, to each node of a pool, also by `client.http`. */
  headers?: HeaderValues | undefined;
  /**
   * Sends the requests: a function of one `Request`, not of an address and options. Default: the global `fetch` at the
   * time of each request.
   *
   * @example
   * ```ts
   * createClient({ baseUrl, fetch: (request) => fetch(request, { cache: "no-store" }) });
   * ```
   */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
  /**
   * Whether requests are delayed to stay within the node's rate limit, which its responses contain (observed on v0.74
   * nodes). While the node bans the client, calls reject immediately and nothing is sent. In Cloudflare Workers and
   * other edge runtimes, where no request can wait for another one, the default is `false`. Default: `true`.
   */
  pacing?: boolean | undefined;
  /**
   * Called with an event for every attempt, response, retry and pause. Its errors, and promises that reject, are
   * ignored.
   *
   * @example
   * ```ts
   * createClient({ baseUrl, observe: ({ type, operation, attempt }) => console.debug(operation, type, attempt) });
   * ```
   */
  observe?: ((event: ObserverEvent) => void) | undefined;
  /** A check of each response beyond its envelope: `validateAnswers` of `vegaprotocol-client/validate` returns one. */
  validate?: Validate | undefined;
}

const clientChecks: OptionChecks<ClientOptions> = {
  ...attemptChecks,
  baseUrl: checkedWhenRead,
  headers: checkedWhenRead,
  fetch: callback,
  pacing: boolean,
  observe: callback,
  validate: callback,
};

/** Options that a client of the same node can have otherwise: all but `baseUrl`, `fetch` and `pacing`. */
export interface OptionOverrides extends Omit<ClientOptions, "baseUrl" | "fetch" | "pacing"> {}

export type ClientDefaults = CallDefaults & Pick<ClientOptions, "observe" | "validate">;

/** Checks the options of another client of the same node, with the options of the first one as defaults. */
export function readOverrides(options: OptionOverrides, defaults: ClientDefaults): ClientDefaults {
  const { baseUrl: _, fetch: __, pacing: ___, ...checks } = clientChecks;
  checkOptions(checks, options, { name: "withOptions" });
  return readDefaults(options, defaults);
}

function readDefaults(options: OptionOverrides, defaults: ClientDefaults): ClientDefaults {
  const { observe = defaults.observe, validate = defaults.validate } = options;
  return { ...withOverrides(defaults, options), observe, validate };
}

const isPool = (value: unknown): value is NodePool => connect in Object(value);

/** Names that only workerd and its derivatives have. There, a request that another one wakes is cancelled. */
const isEdge = "WebSocketPair" in globalThis || "EdgeRuntime" in globalThis;

export function readClientOptions(options: ClientOptions) {
  checkOptions(clientChecks, options, { name: "createClient" });
  const { baseUrl, fetch, pacing = !isEdge } = options;
  if (Array.isArray(baseUrl)) {
    const expected = "one address, or for several nodes `nodePool(urls)` of vegaprotocol-client/pool";
    refuse({ argument: "baseUrl" }, expected, baseUrl);
  }
  const pool = isPool(baseUrl) ? baseUrl : undefined;
  const headers = { accept: "application/json" };
  const initial = { settings: defaultSettings, headers };
  return {
    urls: pool ? pool.status.map(({ url }) => url) : [readBaseUrl(baseUrl)],
    pool,
    // Looked up for each request, because tests and tracers replace the global `fetch` later.
    fetch: fetch ?? ((request: Request) => globalThis.fetch(request)),
    pacing,
    defaults: readDefaults(options, initial),
  };
}
