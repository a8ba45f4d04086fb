import type { OperationId } from "../arguments/operation.js";

/** The lists that the client can scan. */
export const scannable: readonly OperationId[] = ["listBalanceChanges"];
