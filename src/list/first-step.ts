import { untilAborted } from "../async/abort.js";
import { onDemand } from "../http/on-demand.js";
import type { Backward, Forward } from "./direction.js";
import type { ListPage, Step } from "./page.js";
import type { RequestPlan } from "./request-plan.js";

/** Loads the code that reads pages. */
export const loadPages = onDemand(() => import("./read-pages.js"));

/** The first step of a walk. Its request is sent at once, also if the code that reads its page is not there yet. */
export class FirstStep<T, Extra extends object> implements Step<T, Extra> {
  readonly #plan: RequestPlan<T, Extra>;
  #step: Step<T, Extra> | undefined;

  constructor(plan: RequestPlan<T, Extra>) {
    this.#plan = plan;
  }

  get pagination(): Forward | Backward {
    const { direction, cursor, request } = this.#plan;
    return this.#step?.pagination ?? request(direction, cursor);
  }

  async fetch(
    signal: AbortSignal,
    left = Number.POSITIVE_INFINITY,
    isAlone = false,
  ): Promise<ListPage<T, Extra> & Extra> {
    const code = loadPages();
    if (code instanceof Promise) this.#plan.begin(signal, left, isAlone);
    const { firstStep } = await code;
    this.#step ??= firstStep(this.#plan, await this.#plan.open());
    return this.#step.fetch(signal, left, isAlone);
  }

  fetchAlone(left?: number): Promise<ListPage<T, Extra> & Extra> {
    return untilAborted(this.#plan.signal, new AbortController(), (signal) => this.fetch(signal, left, true));
  }
}
