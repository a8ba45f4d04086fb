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
  /** A text, or an object that becomes JSON, in place of the error body. */
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

/**
 * Resets the connection: the node has processed the request, and its response is lost. Or truncates the body of the response in its
 * middle.
 */
export interface ConnectionFault extends Scope {
  name: "reset" | "truncated-body";
}

/** A fault between a client and a node. */
export type NodeFault = LatencyFault | StatusFault | HtmlFault | ConnectionFault;

/** The faults of one request, by name. */
export interface RequestFaults {
  readonly latency?: LatencyFault;
  readonly status?: StatusFault;
  readonly html?: HtmlFault;
  readonly reset?: ConnectionFault;
  readonly "truncated-body"?: ConnectionFault;
}

/**
 * Returns a function that determines which faults affect the next request, which is for an operation or for an unknown path. Of several
 * faults with a name, the first one counts.
 */
export function planFaults(faults: readonly NodeFault[]): (operation: OperationId | undefined) => RequestFaults {
  const plan = faults.map((fault, index) => ({
    fault,
    requests: 0,
    random: randomNumbers(`fault ${index} ${fault.name}`),
  }));
  return (operation) => {
    const affecting: NodeFault[] = [];
    for (const entry of plan) {
      const { request, share, ...fault } = entry.fault;
      if (fault.operation !== undefined && fault.operation !== operation) continue;
      entry.requests++;
      const isMeant = request === undefined || [request].flat().includes(entry.requests);
      if (isMeant && (share === undefined || entry.random() < share)) affecting.unshift(fault);
    }
    return Object.fromEntries(affecting.map((fault) => [fault.name, fault]));
  };
}
