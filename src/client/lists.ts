/** The code of lists and scans. `loadLists` has the one `import()` of the client. */
export { openList, openSource } from "../list/open-list.js";
export { ScanRun } from "../scan/scan-run.js";
