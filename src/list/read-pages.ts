/** What reads the pages of a walk: loaded while the request of the first page is in flight. */
export { openList } from "./open-list.js";
export { firstStep } from "./step.js";
