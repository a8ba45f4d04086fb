import type { operations } from "../generated/openapi.js";
import { type Clock, systemClock } from "./clock.js";
import {
  ApiError,
  isTooLarge,
  RateLimitError,
  ResponseError,
  type SentRequest,
  summarize,
  TimeoutError,
} from "./errors/index.js";
import { type Attempt, Exchange, type Received } from "./exchange.js";
import type { ObservedError, ObserverEvent } from "./observe.js";
import type { Settings, Validate } from "./options.js";
import { type Limits, Pacer, type Ticket } from "./pacing.js";
import { delayBefore, isPassing, retryAfter } from "./retry.js";
import { Stop } from "./stop.js";

/** The last block that a node had processed when it answered (observed on v0.74 nodes). */
export interface Block {
  height: bigint;
  /** Unix nanoseconds. */
  timestamp: bigint;
}

/** An answer with what came along with it. */
export interface Answer<T> {
  /** The body. */
  data: T;
  /** Status, headers and address. Its body has been read. */
  response: Response;
  /** The last block that the node had processed; `undefined` where it does not say. */
  block: Block | undefined;
}

/** What is had of an answer at once; its block is read where somebody asks for it. */
export type Reply<T> = Omit<Answer<T>, "block">;

/** The promise of an answer. */
export interface Call<T> extends Promise<T> {
  /**
   * Resolves to the answer with its status, headers and block, and rejects as the call does.
   *
   * @example
   * ```ts
   * const { data, response, block } = await client.getSpamStatistics({ partyId }).withResponse();
   * ```
   */
  withResponse(): Promise<Answer<T>>;
}

/** What a call needs to know of its operation. */
export interface Route<Params, Body, T> {
  operation: string;
  /** The operation of the description, where it has another name. */
  described?: keyof operations;
  attempt: Attempt<Params>;
  /** Takes the answer out of the body; `undefined` where the body is not what the description says. */
  read: (body: Body) => T | undefined;
  /** Sent once, whatever happens: the node does not take it twice. */
  once?: boolean;
}

/** What is set for one call. */
export interface CallSettings {
  settings: Settings;
  signal: AbortSignal | undefined;
  headers: Headers | undefined;
  /** Tells which statuses that usually pass are known to stay: what to do instead. */
  adviceOn?: ((status: number) => string | undefined) | undefined;
}

export interface RequesterOptions {
  fetch: (request: Request) => Promise<Response>;
  pacing?: boolean;
  observe?: ((event: ObserverEvent) => void) | undefined;
  validate?: Validate | undefined;
  clock?: Clock;
  /** From 0 up to 1. */
  random?: () => number;
}

/** The answer of a node that refused a request. */
interface Refusal {
  request: SentRequest;
  response: Response;
  body: unknown;
  hint?: string | undefined;
}

/** Sends the requests of one client: attempts, deadlines, retries and pacing. */
export class Requester {
  readonly #fetch: (request: Request) => Promise<Response>;
  readonly #observe: ((event: ObserverEvent) => void) | undefined;
  readonly #validate: Validate | undefined;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #pacer: Pacer | undefined;
  /** The last refusal for the rate, or the ban: for those who call while it lasts. */
  #refused: (Refusal & { banned: boolean }) | undefined;

  constructor({
    fetch,
    pacing = true,
    observe,
    validate,
    clock = systemClock,
    random = Math.random,
  }: RequesterOptions) {
    this.#fetch = fetch;
    this.#observe = observe;
    this.#validate = validate;
    this.#clock = clock;
    this.#random = random;
    this.#pacer = pacing ? new Pacer(clock) : undefined;
  }

  /** Sends a request, again where that is promising, and reads its answer. */
  async send<Params, Body extends object, T>(
    route: Route<Params, Body, T>,
    params: Params,
    call: CallSettings,
  ): Promise<Reply<T>> {
    const { operation } = route;
    const { totalTimeout, maxRetryAfter } = call.settings;
    const attempts = route.once ? 1 : call.settings.attempts;
    const pacer = this.#pacer;
    const stop = new Stop(call.signal, this.#clock);
    let attempt = 0;
    let last: unknown;
    stop.after(totalTimeout, () => {
      const message = `${operation} took longer than ${totalTimeout} ms in total, with ${attempt} ${attempt === 1 ? "attempt" : "attempts"}`;
      return new TimeoutError(message, { scope: "total", operation, attempts: attempt, cause: last });
    });
    try {
      for (;;) {
        const ticket =
          pacer &&
          (this.#enter(operation, attempt, stop, pacer, maxRetryAfter) ??
            (await this.#queue(operation, attempt, stop, pacer, maxRetryAfter)));
        attempt++;
        try {
          return await this.#attempt(route, params, call, attempt, stop, ticket);
        } catch (error) {
          last = error;
          const delay = stop.ended || attempt === attempts ? undefined : this.#delay(error, attempt, call);
          if (delay === undefined) throw error;
          this.#tell({ type: "retry", operation, attempt, delay, error: plain(error) });
          await stop.guard<void>((resolve) => this.#clock.after(delay, resolve));
        }
      }
    } finally {
      stop.dispose();
    }
  }

  /** Lets a request leave if the pace allows that now. During a ban, or a pause that is too long, it is refused here. */
  #enter(operation: string, attempts: number, stop: Stop, pacer: Pacer, maxRetryAfter: number): Ticket | undefined {
    stop.throwIfEnded();
    if (this.#refused) {
      const wait = pacer.banned || (pacer.paused > maxRetryAfter ? pacer.paused : 0);
      if (wait > 0) {
        const retryAfter = Math.ceil(wait / 1000);
        throw new RateLimitError({ ...this.#refused, operation, attempts, retryAfter, sent: false });
      }
    }
    return pacer.enter();
  }

  /** Waits until the pace allows a request to leave. */
  async #queue(operation: string, attempts: number, stop: Stop, pacer: Pacer, maxRetryAfter: number): Promise<Ticket> {
    for (;;) {
      const cause = pacer.paused > 0 ? "refusal" : "limit";
      const delay = Math.ceil(pacer.expectedDelay);
      this.#tell({ type: "pause", operation, attempt: attempts + 1, delay, cause });
      const ticket =
        (await stop.guard<Ticket | undefined>((resolve) => pacer.wait(maxRetryAfter, resolve))) ??
        this.#enter(operation, attempts, stop, pacer, maxRetryAfter);
      if (ticket) return ticket;
    }
  }

  /** One request with its body, under the deadline of an attempt. */
  #attempt<Params, Body extends object, T>(
    route: Route<Params, Body, T>,
    params: Params,
    call: CallSettings,
    attempt: number,
    stop: Stop,
    ticket: Ticket | undefined,
  ): Promise<Reply<T>> {
    const { operation } = route;
    const { timeout } = call.settings;
    const observed = this.#observe !== undefined;
    const start = observed ? this.#clock.now() : 0;
    const onSend = (request: SentRequest) => {
      this.#tell({ type: "attempt", operation, attempt, ...request });
      // The observer may end the call.
      stop.throwIfEnded();
    };
    const exchange = new Exchange(this.#fetch, observed ? onSend : undefined);
    let cancelTimer: (() => void) | undefined;
    const end = (received: Received | undefined, reason?: unknown): Reply<T> => {
      let failure: unknown;
      try {
        cancelTimer?.();
        if (received === undefined) throw reason;
        return this.#read(route, received, exchange, attempt, call);
      } catch (error) {
        failure = exchange.explain(error, operation, attempt);
        throw failure;
      } finally {
        if (ticket) this.#pacer?.back(ticket, exchange.response && limitsOf(exchange.response));
        if (observed && exchange.isSent) {
          const duration = this.#clock.now() - start;
          const status = (received ?? exchange).response?.status;
          const error = failure === undefined ? undefined : plain(failure);
          this.#tell({ type: "response", operation, attempt, duration, status, error });
        }
      }
    };
    return stop
      .guard<Received>((resolve, reject) => {
        if (timeout !== Number.POSITIVE_INFINITY) {
          cancelTimer = this.#clock.after(timeout, () => {
            const { method, url } = exchange.sent;
            const message = `Attempt ${attempt} of ${operation} took longer than ${timeout} ms (${method} ${url})`;
            const error = new TimeoutError(message, { scope: "attempt", operation, attempts: attempt });
            reject(error);
            exchange.abort(error);
          });
        }
        route.attempt(exchange.init(params, call.headers)).then(resolve, reject);
        return (reason) => exchange.abort(reason);
      })
      .then(end, (reason) => end(undefined, reason));
  }

  #read<Params, Body extends object, T>(
    { operation, described = operation as keyof operations, read }: Route<Params, Body, T>,
    { data: text = "", error, response }: Received,
    exchange: Exchange,
    attempts: number,
    { adviceOn }: CallSettings,
  ): Reply<T> {
    if (!response.ok) {
      const refusal = { request: exchange.sent, response, body: error, hint: adviceOn?.(response.status) };
      throw this.#refusal(operation, refusal, attempts);
    }
    const body = parseJson(text);
    const data = typeof body === "object" && body !== null ? read(body as Body) : undefined;
    if (data === undefined) {
      const type = response.headers.get("content-type") ?? "no content type";
      throw new ResponseError(
        `${operation} got an answer with status ${response.status} that is not what the description says ` +
          `(${type}, ${text === "" ? "empty" : summarize(text)}) from ${exchange.sent.url}`,
        { operation, attempts, response, body: body ?? text },
      );
    }
    this.#validate?.({ operation: described, calledBy: operation, body, response, attempts });
    return { data, response };
  }

  /** The error of an answer with an error status. A refusal for the rate concerns all calls of the client. */
  #refusal(operation: string, refusal: Refusal, attempts: number): ApiError {
    const { status, headers } = refusal.response;
    const told = retryAfter(status, headers, this.#clock);
    const banned = status === 403 && headers.has("ratelimit-retry-after");
    const limited = status === 429 && !isTooLarge(status, refusal.body);
    if (!banned && !limited) return new ApiError({ ...refusal, operation, attempts });
    // What was under way when the ban came can still be refused for the rate: the ban is what lasts.
    if (banned || !this.#pacer?.banned) this.#refused = { ...refusal, banned };
    if (banned) this.#pacer?.ban(told ?? 0);
    else this.#pacer?.pause(told ?? 0);
    const seconds = told === undefined ? undefined : Math.ceil(told / 1000);
    return new RateLimitError({ ...refusal, operation, attempts, banned, retryAfter: seconds, sent: true });
  }

  /** Milliseconds until the next attempt; `undefined` where there is none. */
  #delay(error: unknown, attempt: number, { settings, adviceOn }: CallSettings): number | undefined {
    if (!isPassing(error)) return undefined;
    if (!ApiError.is(error)) return delayBefore(attempt, undefined, settings, this.#random);
    if (adviceOn?.(error.status) !== undefined) return undefined;
    return delayBefore(attempt, retryAfter(error.status, error.headers, this.#clock), settings, this.#random);
  }

  #tell(event: WithoutTime<ObserverEvent>): void {
    try {
      this.#observe?.({ ...event, time: this.#clock.date() } as ObserverEvent);
    } catch {
      // Whoever looks on must not change what happens.
    }
  }
}

type WithoutTime<Event> = Event extends unknown ? Omit<Event, "time"> : never;

/** A promise of the bare data, which still knows the whole answer. */
export function call<T>(send: () => Promise<Reply<T>>): Call<T> {
  const reply = attempt(send);
  const data = reply.then((whole) => whole.data);
  const withResponse = async (): Promise<Answer<T>> => {
    // Whoever asks for the whole answer hears of its failure there; unheard here, Node.js would end the process.
    data.catch(() => {});
    const { data: body, response } = await reply;
    return { data: body, response, block: readBlock(response) };
  };
  return Object.assign(data, { withResponse });
}

/** What is thrown before anything is sent becomes a rejection. */
function attempt<T>(send: () => Promise<T>): Promise<T> {
  try {
    return send();
  } catch (error) {
    return Promise.reject(error);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function readBlock({ headers }: Response): Block | undefined {
  const height = headers.get("x-block-height") ?? "";
  const timestamp = headers.get("x-block-timestamp") ?? "";
  if (!/^\d+$/.test(height) || !/^-?\d+$/.test(timestamp)) return undefined;
  return { height: BigInt(height), timestamp: BigInt(timestamp) };
}

function limitsOf({ status, headers }: Response): Limits {
  const remaining = integer(headers.get("ratelimit-remaining"));
  return {
    limit: integer(headers.get("ratelimit-limit")),
    // A node that refuses has nothing left, whatever it says.
    remaining: remaining !== undefined && status === 429 ? 0 : remaining,
    reset: integer(headers.get("ratelimit-reset")),
  };
}

function integer(text: string | null): number | undefined {
  const value = Number.parseInt(text ?? "", 10);
  return Number.isNaN(value) ? undefined : value;
}

/** An error as plain data. */
function plain(error: unknown): ObservedError {
  const { name, message } = error instanceof Error ? error : { name: typeof error, message: String(error) };
  return ApiError.is(error) ? { name, message, status: error.status } : { name, message };
}
