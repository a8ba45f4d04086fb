import { ApiError } from "../errors/index.js";
import type { Settings } from "./call-options.js";
import type { Attempt, AttemptInit, Context, Received, Route } from "./context.js";
import type { Requester } from "./requester.js";
import { decode, mismatch, parseJson, readBytes } from "./response.js";
import type { NodeHttp } from "./with-headers.js";

/** What the caller passes to openapi-fetch, as far as it is read here. */
interface Init {
  baseUrl?: string;
  fetch?: unknown;
  headers?: AttemptInit<unknown>["headers"];
  params?: unknown;
  parseAs?: "json" | "text" | "blob" | "arrayBuffer" | "stream";
  signal?: AbortSignal | null;
}

/** What openapi-fetch resolves to. */
type Result = Received & { data?: unknown };

type Send = (method: string, path: string, init: object) => Promise<Result>;

/** Methods that change nothing, so that they can be repeated. */
const reads = ["GET", "HEAD", "OPTIONS", "TRACE"];

/**
 * Returns an openapi-fetch client whose requests are calls: they have deadlines, retries and pacing. Middleware is called for each
 * attempt.
 */
export function withCalls(http: NodeHttp, requester: Pick<Requester, "send">, settings: Settings): NodeHttp {
  const send = http.request as Send;

  async function request(name: string, path: string, init: Init = {}): Promise<Result> {
    const method = name.toUpperCase();
    const { baseUrl, fetch, signal, parseAs = "json", ...rest } = init;
    // To where it says, as it is.
    if (baseUrl !== undefined || fetch !== undefined) return send(method, path, init);
    let received: Result | undefined;
    const route: Route<object, object, unknown> = {
      operation: `${method} ${path}`,
      once: !reads.includes(method),
      attempt: async (attemptInit) => {
        received = undefined;
        // A stream is read after the call, and still ends with the caller's signal.
        const signals = signal && parseAs === "stream" ? [attemptInit.signal, signal] : undefined;
        const lasting = signals && { signal: AbortSignal.any(signals) };
        received = await send(method, path, { ...attemptInit, ...rest, ...lasting });
        return received;
      },
      read: (body) => body,
      // openapi-fetch knows when there is no body.
      receive: async (response, context, attempt) =>
        received?.data === undefined ? undefined : readAs(parseAs, response, context, attempt),
    };
    try {
      const call = { settings, signal: signal ?? undefined, headers: undefined };
      const { data, response } = await requester.send(route, {}, call);
      return { data, response };
    } catch (error) {
      // A request that was not sent because of an earlier one has no response of its own.
      if (ApiError.is(error) && received?.response.headers === error.headers) return received;
      throw error;
    }
  }

  const members = Object.entries(http).map(([name, member]) => {
    if (name === "use" || name === "eject") return [name, member];
    return [name, name === "request" ? request : (path: string, init?: Init) => request(name, path, init)];
  });
  return Object.fromEntries(members) as NodeHttp;
}

async function readAs(
  parseAs: NonNullable<Init["parseAs"]>,
  response: Response,
  context: Context<unknown>,
  attempt: Attempt,
): Promise<unknown> {
  // Its reader may take longer than any deadline.
  if (parseAs === "stream") return response.body;
  const bytes = await readBytes(response, context, attempt);
  if (parseAs === "arrayBuffer") return bytes.slice().buffer;
  if (parseAs === "blob") return new Blob([bytes.slice()], { type: response.headers.get("content-type") ?? "" });
  const text = decode(bytes);
  if (parseAs === "text" || text === "") return text || undefined;
  const json = parseJson(text);
  if (json === undefined) throw mismatch(text, text, response, context, attempt);
  return json;
}
