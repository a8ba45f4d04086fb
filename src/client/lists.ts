/** The code of lists and scans. `loadLists` has the one `import()` of the client. */
export { openList } from "../list/open-list.js";
export { OpenWalk } from "../list/page-reader.js";
export { openScan } from "../scan/open-scan.js";
