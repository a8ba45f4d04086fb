import type { OperationId } from "./query.js";
import { randomNumbers } from "./random.js";

interface Scope {
  /** Which requests it affects, counted from 1 since the faults were set. Default: all of them. */
  request?: number | readonly number[] | undefined;
  /** The operation that it affects; only its requests are counted then. Default: all operations. */
  operation?: OperationId | undefined;
  /** The share of these requests that it affects, from 0 to 1: the same ones in every run. Default: all of them. */
  share?: number | undefined;
}

/** Delays the response. */
export interface LatencyFault extends Scope {
  name: "latency";
  /** `Infinity` never responds. */
  milliseconds: number;
}

/** Resets the connection: the node has processed the request, and its response is lost. */
export interface ResetFault extends Scope {
  name: "reset";
}

/** Responds with a status and, unless a `body` replaces it, the error body of a node. */
export interface StatusFault extends Scope {
  name: "status";
  status: number;
  /** The gRPC status code in the error body. Default: the one that goes with the status. */
  code?: number | undefined;
  /**
   * The message in the error body.
   *
   * @default "injected fault"
   */
  message?: string | undefined;
  /** A text, or an object that becomes JSON, in place of the error body. It excludes `code` and `message`. */
  body?: string | object | undefined;
  /** Headers of the response, such as `Retry-After`. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/** Responds with HTML, as a proxy does that cannot reach its node. */
export interface HtmlFault extends Scope {
  name: "html";
  /** @default 200 */
  status?: number | undefined;
}

/** Truncates the body in its middle. */
export interface TruncatedBodyFault extends Scope {
  name: "truncated-body";
}

/** Reports further pages and returns the cursor of the request; on a first page, cursors of its own records. */
export interface RepeatedCursorFault extends Scope {
  name: "repeated-cursor";
}

/** Leaves out the records of a page that has some; its cursors lead to them. */
export interface EmptyPageFault extends Scope {
  name: "empty-page";
}

/** A fault between a client and a node. */
export type NodeFault =
  | LatencyFault
  | ResetFault
  | StatusFault
  | HtmlFault
  | TruncatedBodyFault
  | RepeatedCursorFault
  | EmptyPageFault;

/** The names of the faults. */
export const nodeFaults = [
  "latency",
  "reset",
  "status",
  "html",
  "truncated-body",
  "repeated-cursor",
  "empty-page",
] as const satisfies readonly NodeFault["name"][];

/** Determines for each request which faults affect it. */
export class FaultPlan {
  readonly #faults: { fault: NodeFault; requests: number; random: () => number }[];

  constructor(faults: readonly NodeFault[]) {
    this.#faults = faults.map((fault, index) => ({
      fault,
      requests: 0,
      random: randomNumbers(`fault ${index} ${fault.name}`),
    }));
  }

  /** The faults of the next request, which is for an operation or for an unknown path. */
  next(operation: OperationId | undefined): RequestFaults {
    const faults: NodeFault[] = [];
    for (const entry of this.#faults) {
      const { fault } = entry;
      if (fault.operation !== undefined && fault.operation !== operation) continue;
      entry.requests++;
      const at = fault.request;
      const isMeant = at === undefined || (typeof at === "number" ? [at] : at).includes(entry.requests);
      if (isMeant && (fault.share === undefined || entry.random() < fault.share)) faults.push(fault);
    }
    return new RequestFaults(faults);
  }
}

/** The faults of one request. */
export class RequestFaults {
  readonly #faults: readonly NodeFault[];

  constructor(faults: readonly NodeFault[]) {
    this.#faults = faults;
  }

  get<Name extends NodeFault["name"]>(name: Name): Extract<NodeFault, { name: Name }> | undefined {
    return this.#faults.find((fault): fault is Extract<NodeFault, { name: Name }> => fault.name === name);
  }
}
