import { ConnectionError, type SentRequest, VegaError } from "./errors/index.js";

/** One try, by openapi-fetch. */
export type Attempt<Params> = (init: AttemptInit<Params>) => Promise<Received>;

/** What openapi-fetch gets. An interface would not fit its index signature. */
export type AttemptInit<Params> = {
  params: Params;
  headers: Headers | Record<string, never>;
  fetch: (request: Request) => Promise<Response>;
  parseAs: "text";
  signal: AbortSignal;
};

/** What openapi-fetch makes of an answer. */
export interface Received {
  data?: string;
  error?: unknown;
  response: Response;
}

/** One request over the wire, sent by openapi-fetch. */
export class Exchange {
  response: Response | undefined;
  #request: SentRequest | undefined;
  /** The reason with which `fetch` or the body was rejected. */
  #broken: { reason: unknown } | undefined;
  /** Of this attempt alone: a Request listens to its signal for as long as that lives. */
  readonly #controller = new AbortController();
  readonly #fetch: (request: Request) => Promise<Response>;
  readonly #onSend: ((request: SentRequest) => void) | undefined;

  constructor(fetch: (request: Request) => Promise<Response>, onSend: ((request: SentRequest) => void) | undefined) {
    this.#fetch = fetch;
    this.#onSend = onSend;
  }

  init<Params>(params: Params, headers: Headers | Record<string, never> = {}): AttemptInit<Params> {
    return {
      params,
      headers,
      fetch: (request) => this.#send(request),
      parseAs: "text",
      signal: this.#controller.signal,
    };
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  get isSent(): boolean {
    return this.#request !== undefined;
  }

  /** The request that was sent; middleware can respond without sending one. */
  get sent(): SentRequest {
    const { method, url } = this.#request ?? { method: "", url: this.response?.url ?? "" };
    return { method, url };
  }

  async #send(request: Request): Promise<Response> {
    // Called without a `this`: the `fetch` of a browser throws if it has one.
    const fetch = this.#fetch;
    this.#request = request;
    this.#onSend?.(this.sent);
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
    if (this.#broken?.reason !== error || VegaError.is(error)) return error;
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
