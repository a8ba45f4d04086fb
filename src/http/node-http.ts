import type { Client } from "openapi-fetch";
import type { paths } from "../../generated/openapi.js";

/** The openapi-fetch client of a node. */
export type NodeHttp = Client<paths, "application/json">;

/** A request of openapi-fetch, whose own type limits a path to its options. */
export type SendAny<Init = object, Result = unknown> = (method: string, path: string, init: Init) => Promise<Result>;
