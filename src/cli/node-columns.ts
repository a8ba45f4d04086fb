import type { ColumnKind } from "./operation-texts.js";

/** The columns of the command nodes. */
export const nodeColumns: Readonly<Record<string, ColumnKind>> = {
  url: "exact",
  state: "exact",
  height: "amount",
  timestamp: "time",
  lag: "amount",
  latency: "amount",
  rateLimit: "amount",
  error: "text",
};
