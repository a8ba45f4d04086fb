import { inject } from "vitest";
import { type ClientOptions, createClient as create, type VegaClient } from "../../src/index.js";
import { undiciFetch } from "../../src/undici/index.js";

declare module "vitest" {
  interface ProvidedContext {
    /** What sends the requests of the tests of the transport: they run once with each. */
    transport: "fetch" | "undici";
  }
}

export function createClient(options: ClientOptions): VegaClient {
  return create(inject("transport") === "undici" ? { fetch: undiciFetch(), ...options } : options);
}
