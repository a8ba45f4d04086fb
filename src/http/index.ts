export { fetchUntilAborted, onAbort } from "./abort.js";
export { type Answer, type Call, call } from "./call.js";
export type { AttemptInit, CallSettings, Received, Route } from "./context.js";
export { createRequester, type Requester } from "./requester.js";
export { type Block, readBlock } from "./response.js";
