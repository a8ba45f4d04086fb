import { findRoute } from "../../src/testing/gateway.js";
import { flatten, type Parameter } from "../../src/testing/query.js";

type Fetch = (input: Request) => Promise<Response>;

/**
 * Reads requests as grpc-gateway does, and sends them to a fake node in the form in which clients send them: names in snake_case,
 * `list[]=a` and `list[a]=b`, other spellings of numbers and booleans, and numbers where the description has strings. It exists for the
 * recorded requests, which no client sends.
 */
export const withGatewayDialect =
  (fetch: Fetch): Fetch =>
  async (request) => {
    const { pathname, search } = new URL(request.url);
    const { method } = request;
    const route = findRoute(method, decode(pathname) ?? "");
    const headers = new Headers(request.headers);
    const preflight = headers.get("Access-Control-Request-Headers");
    if (preflight !== null)
      headers.set("Access-Control-Request-Headers", preflight.split(/,\s*/).map(capitals).join(", "));
    const parameters = flatten(route?.operation.arguments ?? {}).filter((each) => each.in === "query");
    const hasQuery = route?.operation.method === method && parameters.length > 0;
    const query = hasQuery ? translate(search.slice(1), parameters) : "";
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await request.arrayBuffer());
    const body = route?.id === "checkTransaction" && text.trim() !== "" ? canonicalBody(text) : text;
    if (query === undefined) {
      // A text that is not UTF-8 fails after the gateway's parser.
      const isBinary = !/%(?![0-9a-f]{2})/i.test(search) && decode(search) === undefined;
      const error = { code: isBinary ? 13 : 3, message: "rejected by the gateway", details: [] };
      return Response.json(error, { status: isBinary ? 500 : 400, headers: { Vary: "Origin" } });
    }
    const url = new URL(pathname + (query === "" ? "" : `?${query}`), request.url);
    return fetch(new Request(url, { method, headers, ...(body !== "" && method === "POST" && { body }) }));
  };

/** A header's name with capitals, such as `Content-Type`. */
const capitals = (name: string) => name.toLowerCase().replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
const camelCase = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The query in the form in which clients send it; `undefined` if the gateway rejects it. */
function translate(search: string, parameters: readonly Parameter[]): string | undefined {
  const pairs = new Map<string, string[]>();
  const groups = new Set(parameters.flatMap(({ name }) => (name.includes(".") ? [name.split(".")[0]] : [])));
  for (const part of search.split("&").filter((each) => each !== "")) {
    const [rawKey = "", ...rest] = part.split("=");
    const [key, value] = [rawKey, rest.join("=")].map((each) => decode(each.replaceAll("+", " ")));
    if (key === undefined || value === undefined || part.includes(";")) return undefined;
    const [, name = key, index] = /^(.*)\[(.*)\]$/.exec(key) ?? [];
    const texts = index === undefined ? [value] : [index, value];
    const path = camelCase(name);
    const parameter = parameters.find((each) => each.name === path);
    if (groups.has(path)) return undefined;
    if (parameters.some((each) => path.startsWith(`${each.name}.`))) return undefined;
    if (parameter === undefined) continue;
    // `list[]=a` and `list[]=b` share their empty index.
    const known = pairs.get(path) ?? [];
    const given = index !== undefined && known.length > 0 ? [value] : texts;
    pairs.set(path, [...known, ...given.map((text) => spell(parameter, text))]);
  }
  return [...pairs].flatMap(([name, texts]) => texts.map((text) => `${name}=${encodeURIComponent(text)}`)).join("&");
}

function spell(parameter: Parameter, text: string): string {
  if (parameter.kind === "boolean" && /^(?:1|t|T|TRUE|True)$/.test(text)) return "true";
  if (parameter.kind === "boolean" && /^(?:0|f|F|FALSE|False)$/.test(text)) return "false";
  if (parameter.kind === "int32" || parameter.kind === "nanoseconds") return text.replace(/^\+(?=\d)/, "");
  return text;
}

/** The body of a check with the names and types of the description. */
function canonicalBody(text: string): string {
  try {
    // Numbers keep their digits, as texts.
    const digits = text.replace(/"nonce"\s*:\s*(-?\d[\d.eE+-]*)/g, '"nonce":"$1"');
    JSON.parse(text);
    return JSON.stringify(rename(JSON.parse(digits)));
  } catch {
    return text;
  }
}

const rename = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [camelCase(name), rename(each)]))
    : value;
