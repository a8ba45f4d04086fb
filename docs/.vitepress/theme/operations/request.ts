import { type FormValues, fieldsOf, type OperationId, operationOf, textsOf } from "./fields.js";

/** The address of the node that runs in the page. */
export const exampleUrl = "https://node.example";

export interface ConsoleRequest {
  method: string;
  url: string;
  body: string | undefined;
}

/** The request for what the form holds. Values are sent as they are, so that the node can reject them. */
export function requestFor(id: OperationId, baseUrl: string, values: FormValues): ConsoleRequest {
  const { method, path } = operationOf(id);
  const query = new URLSearchParams();
  const members: string[] = [];
  let filled = path;
  for (const field of fieldsOf(id)) {
    const texts = textsOf(field, values);
    if (field.in === "path") filled = filled.replace(`{${field.name}}`, encodeURIComponent(texts[0] ?? ""));
    for (const text of texts) {
      if (field.in === "query") query.append(field.name, text);
      if (field.in === "body") members.push(`${JSON.stringify(field.name)}: ${text}`);
    }
  }
  return {
    method,
    url: `${baseUrl.replace(/\/+$/, "")}${filled}${query.size > 0 ? `?${query}` : ""}`,
    body: method === "POST" ? `{${members.join(", ")}}` : undefined,
  };
}

/** A response, as the page shows it. */
export interface ConsoleResponse {
  status: number;
  headers: [name: string, value: string][];
  text: string;
  json: unknown;
}

/** Sends a request to the node in the page if it has the address of the example, else over the network. */
export async function send({ method, url, body }: ConsoleRequest): Promise<ConsoleResponse> {
  const init = {
    method,
    ...(body !== undefined && { body, headers: { "Content-Type": "application/json" } }),
    signal: AbortSignal.timeout(30_000),
  };
  const response =
    new URL(url).origin === exampleUrl
      ? await (await import("./example-node.js")).exampleNode().fetch(url, init)
      : await fetch(url, init);
  const text = await response.text();
  return { status: response.status, headers: [...response.headers], text, json: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
