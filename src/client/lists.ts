/** The code of lists and scans. `loadLists` has the one `import()` of the client. */
export { openList } from "../list/open-list.js";
export { openWalk } from "../list/walk.js";
export { ScanRun } from "../scan/scan-run.js";
