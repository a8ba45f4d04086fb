// What a consumer on Node.js writes who takes undici.
import { Agent } from "undici";
import { createClient } from "vegaprotocol-client";
import { type UndiciFetchOptions, undiciFetch } from "vegaprotocol-client/undici";

const options: UndiciFetchOptions = { dispatcher: new Agent({ connections: 4 }) };
export const client = createClient({ baseUrl: "https://node.example", fetch: undiciFetch(options) });
// @ts-expect-error That is no dispatcher.
undiciFetch({ dispatcher: "agent" });
