import type { operations } from "../generated/openapi.js";
import { type Clock, systemClock } from "./clock.js";
import {
  ApiError,
  ConnectionError,
  isTooLarge,
  RateLimitError,
  ResponseError,
  type SentRequest,
  summarize,
  TimeoutError,
  VegaError,
} from "./errors.js";
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

/** One try, by openapi-fetch: it gets what is different from try to try. */
export type Attempt = (init: AttemptInit) => Promise<{ data?: string; error?: unknown; response: Response }>;

export interface AttemptInit {
  signal: AbortSignal;
  headers: Headers | Record<string, never>;
  fetch: (request: Request) => Promise<Response>;
  parseAs: "text";
}

/** What a call needs to know of its operation. */
export interface Route<Body, T> {
  operation: string;
  /** The operation of the description, where it has another name. */
  described?: keyof operations;
  attempt: Attempt;
  /** Takes the answer out of the body; `undefined` where the body is not what the description says. */
  read: (body: Body) => T | undefined;
  /** Sent once, whatever happens: the node does not take it twice. */
  once?: boolean;
  /** Tells which statuses that usually pass are known to stay: what to do instead. */
  adviceOn?: ((status: number) => string | undefined) | undefined;
}

/** What is set for one call. */
export interface CallSettings {
  settings: Settings;
  signal: AbortSignal | undefined;
  headers: Headers | undefined;
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
  advice?: string | undefined;
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
  async send<Body extends object, T>(route: Route<Body, T>, call: CallSettings): Promise<Answer<T>> {
    const { operation } = route;
    const { settings, signal } = call;
    const attempts = route.once ? 1 : settings.attempts;
    const stop = new Stop(signal, this.#clock);
    let attempt = 0;
    let last: unknown;
    stop.after(settings.totalTimeout, () => {
      const message = `${operation} took longer than ${settings.totalTimeout} ms in total, with ${attempt} ${attempt === 1 ? "attempt" : "attempts"}`;
      return new TimeoutError(message, { scope: "total", operation, attempts: attempt, cause: last });
    });
    try {
      for (;;) {
        const ticket = await this.#enter(operation, attempt + 1, stop, settings.maxRetryAfter);
        attempt++;
        try {
          return await this.#attempt(route, call, attempt, stop, ticket);
        } catch (error) {
          last = error;
          const delay =
            stop.ended || attempt === attempts ? undefined : this.#delay(error, attempt, settings, route.adviceOn);
          if (delay === undefined) throw error;
          this.#tell({ type: "retry", operation, attempt, delay, error: plain(error) });
          await stop.guard<void>((resolve) => this.#clock.after(delay, resolve));
        }
      }
    } finally {
      stop.dispose();
    }
  }

  /** Waits until the pace allows a request to leave. During a ban, or a pause that is too long, it does not wait. */
  async #enter(operation: string, attempt: number, stop: Stop, maxRetryAfter: number): Promise<Ticket | undefined> {
    const pacer = this.#pacer;
    if (pacer === undefined) return undefined;
    for (;;) {
      stop.throwIfEnded();
      const wait = pacer.banned || (pacer.paused > maxRetryAfter ? pacer.paused : 0);
      if (wait > 0 && this.#refused) {
        const seconds = Math.ceil(wait / 1000);
        throw new RateLimitError({
          ...this.#refused,
          operation,
          attempts: attempt - 1,
          retryAfter: seconds,
          sent: false,
        });
      }
      const entered = pacer.enter();
      if (entered) return entered;
      const cause = pacer.paused > 0 ? "refusal" : "limit";
      this.#tell({ type: "pause", operation, attempt, delay: Math.ceil(pacer.expectedDelay), cause });
      const ticket = await stop.guard<Ticket | undefined>((resolve) => pacer.wait(maxRetryAfter, resolve));
      if (ticket) return ticket;
    }
  }

  /** One request with its body, under the deadline of an attempt. */
  async #attempt<Body extends object, T>(
    route: Route<Body, T>,
    { settings, headers }: CallSettings,
    attempt: number,
    stop: Stop,
    ticket: Ticket | undefined,
  ): Promise<Answer<T>> {
    const { operation } = route;
    const exchange = new Exchange(this.#fetch, (request) => {
      this.#tell({ type: "attempt", operation, attempt, ...request });
    });
    const start = this.#clock.now();
    let status: number | undefined;
    let failure: unknown;
    try {
      const answer = await stop.guard<Awaited<ReturnType<Attempt>>>((resolve, reject) => {
        // A controller of its own for each attempt: a Request listens to its signal for as long as that lives.
        const controller = new AbortController();
        const cancel =
          settings.timeout === Number.POSITIVE_INFINITY
            ? () => {}
            : this.#clock.after(settings.timeout, () => {
                const message = `Attempt ${attempt} of ${operation} took longer than ${settings.timeout} ms (${exchange.sent.method} ${exchange.sent.url})`;
                const error = new TimeoutError(message, { scope: "attempt", operation, attempts: attempt });
                reject(error);
                controller.abort(error);
              });
        route
          .attempt({ signal: controller.signal, headers: headers ?? {}, fetch: exchange.fetch, parseAs: "text" })
          .then(resolve, reject)
          .finally(cancel);
        return (reason) => {
          cancel();
          controller.abort(reason);
        };
      });
      status = answer.response.status;
      return this.#read(route, answer, exchange, attempt);
    } catch (error) {
      failure = exchange.explain(error, operation, attempt);
      throw failure;
    } finally {
      if (ticket) this.#pacer?.back(ticket, exchange.response && limitsOf(exchange.response));
      const duration = this.#clock.now() - start;
      if (exchange.request) {
        const error = failure === undefined ? undefined : plain(failure);
        this.#tell({
          type: "response",
          operation,
          attempt,
          duration,
          status: status ?? exchange.response?.status,
          error,
        });
      }
    }
  }

  #read<Body extends object, T>(
    { operation, described = operation as keyof operations, read, adviceOn }: Route<Body, T>,
    { data: text = "", error, response }: Awaited<ReturnType<Attempt>>,
    exchange: Exchange,
    attempts: number,
  ): Answer<T> {
    if (!response.ok) {
      const refusal = { request: exchange.sent, response, body: error, advice: adviceOn?.(response.status) };
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
    return { data, response, block: readBlock(response.headers) };
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
  #delay(
    error: unknown,
    attempt: number,
    settings: Settings,
    adviceOn: (status: number) => string | undefined = () => undefined,
  ): number | undefined {
    if (!isPassing(error)) return undefined;
    if (!ApiError.is(error)) return delayBefore(attempt, undefined, settings, this.#random);
    if (adviceOn(error.status) !== undefined) return undefined;
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

/** What goes over the wire in one attempt, as openapi-fetch does it. */
class Exchange {
  request: SentRequest | undefined;
  response: Response | undefined;
  /** Why there was no answer, or no whole one: what `fetch` or the body was rejected with. */
  #broken: { reason: unknown } | undefined;
  readonly #fetch: (request: Request) => Promise<Response>;
  readonly #onSend: (request: SentRequest) => void;

  constructor(fetch: (request: Request) => Promise<Response>, onSend: (request: SentRequest) => void) {
    this.#fetch = fetch;
    this.#onSend = onSend;
  }

  /** What was sent; middleware can answer without. */
  get sent(): SentRequest {
    return this.request ?? { method: "", url: this.response?.url ?? "" };
  }

  readonly fetch = async (request: Request): Promise<Response> => {
    this.request = { method: request.method, url: request.url };
    this.#onSend(this.request);
    const response = await this.#watch(this.#fetch(request));
    this.response = response;
    const read = response.text;
    response.text = () => this.#watch(read.call(response));
    return response;
  };

  async #watch<T>(promise: Promise<T>): Promise<T> {
    try {
      return await promise;
    } catch (reason) {
      this.#broken = { reason };
      throw reason;
    }
  }

  /** What the network did is a ConnectionError; what middleware threw stays as it is. */
  explain(error: unknown, operation: string, attempts: number): unknown {
    if (this.#broken?.reason !== error || VegaError.is(error)) return error;
    const what = this.response ? "an answer that was cut off" : "no answer";
    const message = `${operation} got ${what} from ${this.sent.url}: ${describe(error)}`;
    return new ConnectionError(message, { operation, attempts, cause: error });
  }
}

type WithoutTime<Event> = Event extends unknown ? Omit<Event, "time"> : never;

/** A promise of the bare data, which still knows the whole answer. */
export function call<T>(send: () => Promise<Answer<T>>): Call<T> {
  const answer = send();
  const data = answer.then((whole) => whole.data);
  return Object.assign(data, {
    withResponse: () => {
      // Whoever asks for the whole answer hears of its failure there; unheard here, Node.js would end the process.
      data.catch(() => {});
      return answer;
    },
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readBlock(headers: Headers): Block | undefined {
  const height = headers.get("x-block-height") ?? "";
  const timestamp = headers.get("x-block-timestamp") ?? "";
  if (!/^\d+$/.test(height) || !/^-?\d+$/.test(timestamp)) return undefined;
  return { height: BigInt(height), timestamp: BigInt(timestamp) };
}

function limitsOf({ status, headers }: Response): Limits {
  const number = (name: string) => {
    const value = Number.parseInt(headers.get(name) ?? "", 10);
    return Number.isNaN(value) ? undefined : value;
  };
  const remaining = number("ratelimit-remaining");
  return {
    limit: number("ratelimit-limit"),
    // A node that refuses has nothing left, whatever it says.
    remaining: remaining !== undefined && status === 429 ? 0 : remaining,
    reset: number("ratelimit-reset"),
  };
}

/** Node's fetch says "fetch failed" and keeps the telling words in the cause, or in the causes of an AggregateError. */
function describe(error: unknown): string {
  const words: string[] = [];
  for (let each = error; each instanceof Error; each = each.cause) {
    const inner = each instanceof AggregateError ? each.errors.map((one) => String(one?.message ?? one)) : [];
    const text = [each.message, ...inner].filter(Boolean).join(", ");
    if (text) words.push(text);
  }
  return words.length > 0 ? words.join(": ") : String(error);
}

/** An error as plain data. */
function plain(error: unknown): ObservedError {
  const { name, message } = error instanceof Error ? error : { name: typeof error, message: String(error) };
  return ApiError.is(error) ? { name, message, status: error.status } : { name, message };
}
