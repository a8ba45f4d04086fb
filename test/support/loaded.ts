/** Loads what the client loads on demand: a manual clock does not wait for files. */
import "../../src/http/http-call.js";
import "../../src/http/log.js";
import "../../src/pagination/merge/merge.js";
import "../../src/pagination/read-pages.js";
import "../../src/scan/open-scan.js";
