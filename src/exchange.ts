import { type BareFetch, BareRequest, type Stoppable } from "./bare.js";
import { ConnectionError, type SentRequest, VegaError } from "./errors/index.js";

/** One try, by openapi-fetch. */
export type Attempt<Params> = (init: AttemptInit<Params>) => Promise<Received>;

/** What openapi-fetch gets. An interface would not fit its index signature. */
export type AttemptInit<Params> = {
  params: Params;
  headers: Headers | Record<string, never>;
  fetch: (request: Request) => Promise<Response>;
  parseAs: "text";
  signal?: AbortSignal;
  /** What it makes instead of a Request. */
  Request?: typeof Request;
};

/** What openapi-fetch makes of an answer. */
export interface Received {
  data?: string;
  error?: unknown;
  response: Response;
}

/** What goes over the wire in one attempt, as openapi-fetch does it. */
export class Exchange implements Stoppable {
  response: Response | undefined;
  #request: SentRequest | undefined;
  /** Why there was no answer, or no whole one: what `fetch` or the body was rejected with. */
  #broken: { reason: unknown } | undefined;
  #aborted: { reason: unknown } | undefined;
  #controller: AbortController | undefined;
  #listener: (() => void) | undefined;
  readonly #isBare: boolean;
  readonly #fetch: BareFetch;
  readonly #onSend: ((request: SentRequest) => void) | undefined;

  constructor(
    fetch: (request: Request) => Promise<Response>,
    bareFetch: BareFetch | undefined,
    onSend: ((request: SentRequest) => void) | undefined,
  ) {
    this.#isBare = bareFetch !== undefined;
    this.#fetch = bareFetch ?? (fetch as BareFetch);
    this.#onSend = onSend;
  }

  init<Params>(params: Params, headers: Headers | Record<string, never> = {}): AttemptInit<Params> {
    const fetch = (request: Request) => this.#send(request);
    return this.#isBare
      ? { params, headers, fetch, parseAs: "text", Request: BareRequest as unknown as typeof Request }
      : { params, headers, fetch, parseAs: "text", signal: this.signal };
  }

  /**
   * Of this attempt alone, since a Request listens to its signal for as long as that lives. Made where somebody asks for it:
   * on Node.js 20 that takes as long as all the rest of an attempt.
   */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#aborted.reason);
    }
    return this.#controller.signal;
  }

  get aborted(): boolean {
    return this.#aborted !== undefined;
  }

  get reason(): unknown {
    return this.#aborted?.reason;
  }

  /** There is one who listens: what sends the request. */
  addEventListener(_: "abort", listener: () => void): void {
    this.#listener = listener;
  }

  removeEventListener(): void {
    this.#listener = undefined;
  }

  abort(reason: unknown): void {
    this.#aborted = { reason };
    this.#controller?.abort(reason);
    this.#listener?.();
  }

  get isSent(): boolean {
    return this.#request !== undefined;
  }

  /** What was sent; middleware can answer without. */
  get sent(): SentRequest {
    const { method, url } = this.#request ?? { method: "", url: this.response?.url ?? "" };
    return { method, url };
  }

  async #send(request: Request | BareRequest): Promise<Response> {
    // Called without a `this`, which that of a browser does not stand.
    const fetch = this.#fetch;
    this.#request = request;
    this.#onSend?.(this.sent);
    if (request instanceof BareRequest) {
      request.sentBy = this;
      this.response = await fetch(request.url, request);
      return this.response;
    }
    const response = await this.#watch(fetch(request));
    this.response = response;
    const read = response.text;
    response.text = () => this.#watch(read.call(response));
    return response;
  }

  async #watch<T>(promise: Promise<T>): Promise<T> {
    try {
      return await promise;
    } catch (reason) {
      this.#broken = { reason };
      throw reason;
    }
  }

  /** What the network did is a ConnectionError; what ended the attempt, or what middleware threw, stays as it is. */
  explain(error: unknown, operation: string, attempts: number): unknown {
    const isEnd = this.aborted && this.reason === error;
    // A bare request passes no middleware, so that nobody has to watch where its failure comes from.
    const isBroken = this.#isBare ? this.isSent && !isEnd : this.#broken?.reason === error;
    if (!isBroken || VegaError.is(error)) return error;
    const what = this.response ? "an answer that was cut off" : "no answer";
    const message = `${operation} got ${what} from ${this.sent.url}: ${describe(error)}`;
    return new ConnectionError(message, { operation, attempts, cause: error });
  }
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
