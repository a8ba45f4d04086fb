import { longestTimer } from "../arguments/check-options.js";
import { refuseArgument } from "./arguments.js";

/** Calls back after some milliseconds. The returned function cancels it. */
export type After = (milliseconds: number, callback: () => void) => () => void;

const systemTimer: After = (milliseconds, callback) => {
  const timer = setTimeout(callback, milliseconds);
  return () => clearTimeout(timer);
};

/** As the other one, but it does not keep a process of Node.js running. */
export const backgroundTimer: After = (milliseconds, callback) => {
  const timer: unknown = setTimeout(callback, milliseconds);
  (timer as { unref?: () => void }).unref?.();
  return () => clearTimeout(timer as ReturnType<typeof setTimeout>);
};

/**
 * Calls back every so many milliseconds, until the returned function is called.
 *
 * @throws `ArgumentError` for an interval that no timer has.
 */
export function repeat(milliseconds: number, callback: () => void, after: After = systemTimer): () => void {
  if (!(typeof milliseconds === "number" && milliseconds > 0 && milliseconds <= longestTimer)) {
    refuseArgument("milliseconds", `a number above 0, at most ${longestTimer}`, milliseconds);
  }
  let cancel = () => {};
  const schedule = () => {
    cancel = after(milliseconds, () => {
      // First, so that an error of the callback does not end the repetition.
      schedule();
      callback();
    });
  };
  schedule();
  return () => cancel();
}
