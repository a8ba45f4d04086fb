import type { operations } from "../../generated/openapi.js";

interface When {
  /** Which of the requests meets it, counted from 1 since the faults were set; all of them unless given. */
  request?: number | readonly number[] | undefined;
  /** The operation that it befalls, whose requests alone are counted then; all of them unless given. */
  operation?: keyof operations | undefined;
}

/** Answers late by so many milliseconds. */
export interface LatencyFault extends When {
  name: "latency";
  milliseconds: number;
}

/** Breaks the connection: the request has arrived and its answer gets lost. */
export interface ResetFault extends When {
  name: "reset";
}

/** Answers with an error status and the body of a node's error. */
export interface StatusFault extends When {
  name: "status";
  status: number;
  /** Headers of the answer, such as `Retry-After`. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/** Answers with HTML, as a proxy does that cannot reach its node. */
export interface HtmlFault extends When {
  name: "html";
  /** @default 200 */
  status?: number | undefined;
}

/** Breaks the body off in its middle. */
export interface TruncatedBodyFault extends When {
  name: "truncated-body";
}

/** Answers a page that says that there is more, with the cursor that the request came with, or its own for a first page. */
export interface RepeatedCursorFault extends When {
  name: "repeated-cursor";
}

/** Answers a page of a list without records, although there are some: its cursors lead on to them. */
export interface EmptyPageFault extends When {
  name: "empty-page";
}

/** What can go wrong between a client and a node. */
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

/** Tells for each request which faults it meets. */
export class FaultPlan {
  readonly #faults: { fault: NodeFault; requests: number }[];

  constructor(faults: readonly NodeFault[]) {
    this.#faults = faults.map((fault) => ({ fault, requests: 0 }));
  }

  of(operation: string | undefined): NodeFault[] {
    const met: NodeFault[] = [];
    for (const entry of this.#faults) {
      const { fault } = entry;
      if (fault.operation !== undefined && fault.operation !== operation) continue;
      entry.requests++;
      const at = fault.request;
      if (at === undefined || (typeof at === "number" ? [at] : at).includes(entry.requests)) met.push(fault);
    }
    return met;
  }
}

/** Waits as `fetch` does: an abort ends it. */
export function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", stop, { once: true });
  });
}

/** A body that comes as far as its middle; then the connection is gone. */
export function halfOf(text: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let sent = false;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent) controller.error(new TypeError("terminated: the connection was closed"));
      else controller.enqueue(bytes.subarray(0, Math.ceil(bytes.length / 2)));
      sent = true;
    },
  });
}
