import type { Dispatcher } from "undici";

type Body = Dispatcher.ResponseData["body"];
type Received = Record<string, string | string[] | undefined>;

/** Packings that every runtime with a `DecompressionStream` knows. */
const packings: Record<string, CompressionFormat> = { gzip: "gzip", "x-gzip": "gzip", deflate: "deflate" };

/** Statuses whose answers have no body, which a Response insists on. */
const bodiless = [204, 205, 304];

/**
 * What undici's `request` was answered with, as a Response. A real one is made where more is asked for than status, headers
 * and text: on Node.js 20 a real one with its headers takes a tenth of the time of a whole call.
 */
export class UndiciResponse implements Response {
  readonly type = "basic";
  readonly redirected = false;
  readonly statusText = "";
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly #received: Received;
  readonly #body: Body;
  #whole: Response | undefined;
  #isRead = false;

  static {
    // For `instanceof`. All members of a Response are here, so that none is called on what is none.
    Object.setPrototypeOf(UndiciResponse.prototype, Response.prototype);
  }

  constructor(url: string, { statusCode, headers, body }: Dispatcher.ResponseData) {
    this.url = url;
    this.status = statusCode;
    this.headers = new UndiciHeaders(headers);
    this.#received = headers;
    this.#body = body;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  /** A real Response of the same answer. */
  get whole(): Response {
    if (this.#whole === undefined) {
      const { status, url } = this;
      const body = bodiless.includes(status) ? null : this.#unpacked();
      this.#whole = new Response(body, { status, headers: headersOf(this.#received) });
      Object.defineProperty(this.#whole, "url", { value: url });
    }
    return this.#whole;
  }

  #unpacked(): ReadableStream<Uint8Array<ArrayBuffer>> {
    // undici's types hide it.
    const stream = this.#body.body as unknown as ReadableStream<Uint8Array<ArrayBuffer>>;
    const packing = this.headers.get("content-encoding")?.toLowerCase() ?? "identity";
    if (packing === "identity") return stream;
    const format = packings[packing];
    if (format === undefined) {
      // A body that nobody reads keeps its connection.
      void this.#body.dump();
      throw new TypeError(`the body is packed by "${packing}", which undiciFetch does not unpack`);
    }
    return stream.pipeThrough(new DecompressionStream(format));
  }

  async text(): Promise<string> {
    const isPlain = this.#whole === undefined && !this.headers.has("content-encoding");
    if (!isPlain || this.#isRead) return this.whole.text();
    this.#isRead = true;
    return this.#body.text();
  }

  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    return this.whole.body;
  }

  get bodyUsed(): boolean {
    return this.#isRead || (this.#whole?.bodyUsed ?? false);
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return this.whole.arrayBuffer();
  }

  async blob(): Promise<Blob> {
    return this.whole.blob();
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await this.whole.arrayBuffer());
  }

  async formData(): Promise<FormData> {
    return this.whole.formData();
  }

  async json(): Promise<unknown> {
    return this.whole.json();
  }

  clone(): Response {
    return this.whole.clone();
  }
}

/** Headers that are read one by one; real ones where more is asked for. */
class UndiciHeaders implements Headers {
  readonly #received: Received;
  #whole: Headers | undefined;

  static {
    // As above.
    Object.setPrototypeOf(UndiciHeaders.prototype, Headers.prototype);
  }

  constructor(received: Received) {
    this.#received = received;
  }

  get #real(): Headers {
    this.#whole ??= headersOf(this.#received);
    return this.#whole;
  }

  get(name: string): string | null {
    if (this.#whole) return this.#whole.get(name);
    const lower = name.toLowerCase();
    const value = Object.hasOwn(this.#received, lower) ? this.#received[lower] : undefined;
    return typeof value === "string" ? value : (value?.join(", ") ?? null);
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  getSetCookie(): string[] {
    return this.#real.getSetCookie();
  }

  append(name: string, value: string): void {
    this.#real.append(name, value);
  }

  set(name: string, value: string): void {
    this.#real.set(name, value);
  }

  delete(name: string): void {
    this.#real.delete(name);
  }

  forEach(callback: (value: string, name: string, headers: Headers) => void, self?: unknown): void {
    for (const [name, value] of this.#real) callback.call(self, value, name, this);
  }

  entries(): HeadersIterator<[string, string]> {
    return this.#real.entries();
  }

  keys(): HeadersIterator<string> {
    return this.#real.keys();
  }

  values(): HeadersIterator<string> {
    return this.#real.values();
  }

  [Symbol.iterator](): HeadersIterator<[string, string]> {
    return this.#real.entries();
  }
}

function headersOf(received: Received): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(received)) {
    for (const value of [values ?? []].flat()) headers.append(name, value);
  }
  return headers;
}
