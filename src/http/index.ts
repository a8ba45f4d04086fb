export { fetchUntilAborted, onAbort } from "./abort.js";
export { type Block, readBlock } from "./block.js";
export { type Answer, type Call, call } from "./call.js";
export type { AttemptInit, CallSettings, Received, Route } from "./context.js";
export { createRequester, type Requester } from "./requester.js";
