import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Collects what nothing refers to. A weak reference keeps its object until the end of the current task. */
export async function collectGarbage(): Promise<void> {
  await new Promise(setImmediate);
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
}
