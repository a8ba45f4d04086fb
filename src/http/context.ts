import type { operations } from "../../generated/openapi.js";
import type { Cancellation } from "../async/cancellation.js";
import type { SentRequest } from "../errors/index.js";
import type { Block } from "./block.js";
import type { Settings } from "./call-options.js";
import type { Demand } from "./demand.js";

/** What openapi-fetch returns. */
export interface FetchResult {
  /** The response, after middleware. If its status is a success, the body has not been read. */
  response: Response;
  /** The body of a response with an error status: parsed if it is JSON, otherwise its text. */
  error?: unknown;
}

/** Options for openapi-fetch. An interface would not be assignable to its index signature. */
export type AttemptInit = {
  headers: Headers | Record<string, never>;
  fetch: (request: Request) => Promise<Response>;
  parseAs: "stream";
  signal: AbortSignal;
  /** The address of the node, if the client has several. */
  baseUrl: string | undefined;
};

/** An operation, as the transport sees it. */
export interface Route<Params, Body, T> {
  /** The name of the client's method. */
  operation: string;
  /** The operation of the description, if it has another name. */
  described?: keyof operations;
  /** Sends a request with openapi-fetch. */
  attempt: (params: Params, init: AttemptInit) => Promise<FetchResult>;
  /** Returns the result; `undefined` if the body does not match the description. */
  read: (body: Body) => T | undefined;
  /** Reads a response with a success status instead of `read`, whatever its body is. */
  receive?: ((response: Response, context: Context<unknown>, attempt: Attempt) => Promise<T>) | undefined;
  /** Whether the request is never retried, because the node does not accept it twice. */
  once?: boolean;
  /** Statuses that are not retried, although they usually are transient. */
  finalStatuses?: readonly number[];
  /** What the caller can do about an error status, for its message. */
  hints?: Readonly<Record<number, string>>;
}

/** The checked options of a call, which hold for each of its requests. */
export interface CallSettings {
  settings: Settings;
  headers: Headers | undefined;
  /** The address of the only node that serves the call, if the client has several. */
  node?: string | undefined;
}

/** What a request is sent with. */
export interface RequestSettings<T = unknown> extends CallSettings {
  signal: AbortSignal | undefined;
  /** What the response has to show. */
  demand?: Demand<T> | undefined;
}

/** A result with the response it came from. */
export interface Reply<T> {
  /** The body. */
  data: T;
  /** Status, headers and URL. Its body has been read. */
  response: Response;
  /** The block that the node reports; `undefined` if it reports none. */
  block: Block | undefined;
  /**
   * Whether the response may be out of date, because no node of a pool gave a fresh one. Always `false` for a client of one
   * node, which nothing can be compared with.
   */
  stale: boolean;
  /** The address of the node that responded, if the client has several. */
  node?: string | undefined;
}

/** A call on its way through the layers. */
export interface Context<T> extends RequestSettings<T> {
  readonly operation: string;
  readonly described: keyof operations;
  readonly once: boolean;
  readonly finalStatuses: readonly number[];
  readonly hints: Readonly<Record<number, string>>;
  /** Sends a request with openapi-fetch. */
  readonly send: (init: AttemptInit) => Promise<FetchResult>;
  readonly read: (body: object) => T | undefined;
  readonly receive: Route<never, never, T>["receive"];
  readonly cancellation: Cancellation;
  /** The number of attempts so far. */
  attempts: number;
  /** The error of the last attempt. */
  lastError: unknown;
  /** Whether the last attempt waits for the rate limit. */
  isQueued: boolean;
}

/** One attempt of a call on its way through the layers. */
export interface Attempt {
  /** Counted from 1. */
  readonly number: number;
  /** The address of the node, if the client has several. */
  readonly baseUrl: string | undefined;
  /** Cancels this attempt alone. */
  readonly cancellation: Cancellation;
  /** How long it has waited for the rate limit, in milliseconds; `Infinity` while it does. */
  waited: number;
  /** Called just before the request is sent. If it throws, nothing is sent. */
  onSend?: ((request: SentRequest) => void) | undefined;
  /** The request; `undefined` until it is sent, or if middleware responds instead. */
  request?: SentRequest | undefined;
  /** The response of `fetch`, before middleware. */
  response?: Response | undefined;
  /** The reason with which `fetch` or the body was rejected. */
  failure?: { reason: unknown } | undefined;
}

/** Makes a call, with all its attempts. */
export type SendCall = <T>(context: Context<T>) => Promise<Reply<T>>;

/** Makes one attempt of a call. Each layer adds one thing to the next. */
export type SendAttempt = <T>(context: Context<T>, attempt: Attempt) => Promise<Reply<T>>;
