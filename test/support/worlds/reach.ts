import type { ObserverEvent } from "../../../src/index.js";
import { day } from "./world.js";

/** What has to happen in some world of a run, as it is seen from outside: in requests, responses, events and errors. */
export const allEvents = [
  "pruned",
  "behind",
  "gap",
  "coverage begins after the start",
  "a witness is asked for",
  "a range within a year is asked for",
  "a range is refused",
  "a request is hedged",
  "failover",
  "retry",
  "a rate limit is reached",
  "a ban",
  "a response is older than one before",
  "a response without headers",
  "a node has no block",
  "a query fails",
  "a node shows the block that it names",
  "history is dropped meanwhile",
  "heights begin anew",
  "the caller's clock is wrong",
  "a vote is cast again meanwhile",
  "a bound within a microsecond",
  "a page of one record",
  "a page is asked for twice",
  "a reading continues after an error",
  "a sum is unknown",
] as const;

export type Reached = (typeof allEvents)[number];

/** Watches requests, responses and events of a client. */
export class Outside {
  readonly #reached: Set<Reached>;
  #newest = 0n;
  /** The parties that were asked for first. */
  #parties: number | undefined;

  constructor(reached: Set<Reached>) {
    this.#reached = reached;
  }

  observe({ type, ...event }: ObserverEvent): void {
    if (type === "retry") this.#reached.add("retry");
    if (type === "failover") this.#reached.add("failover");
    if (type === "hedge") this.#reached.add("a request is hedged");
    const { status } = event as { status?: number };
    if (status === 429) this.#reached.add("a rate limit is reached");
    if (status === 403) this.#reached.add("a ban");
  }

  async watch(request: Request, send: (request: Request) => Promise<Response>): Promise<Response> {
    const { searchParams } = new URL(request.url);
    const [start, end] = ["start", "end"].map((name) => searchParams.get(`dateRange.${name}Timestamp`));
    const span = start && end ? BigInt(end) - BigInt(start) : 0n;
    if (span > 330n * day && span <= 365n * day) this.#reached.add("a range within a year is asked for");
    const parties = searchParams.getAll("filter.partyIds").length;
    this.#parties ??= parties;
    if (this.#parties > 0 && parties > this.#parties) this.#reached.add("a witness is asked for");
    if (searchParams.get("pagination.first") === "1") this.#reached.add("a page of one record");
    const response = await send(request);
    const isJson = response.headers.get("Content-Type")?.includes("json");
    if (response.status === 400 && isJson) this.#reached.add("a range is refused");
    const time = response.headers.get("X-Block-Timestamp");
    if (time === null) this.#reached.add("a response without headers");
    else if (time === "0") this.#reached.add("a node has no block");
    else if (BigInt(time) < this.#newest) this.#reached.add("a response is older than one before");
    if (BigInt(time ?? 0) > this.#newest) this.#newest = BigInt(time ?? 0);
    return response;
  }
}
