import type { Output } from "../io.js";

/** The reader of stdout has closed it, as `head` does. */
export class OutputClosed extends Error {}

/** Writes to stdout, and waits until the text was taken. */
export function stdoutWriter(stdout: Output): (text: string) => Promise<void> {
  // The error is reported to the callback of the write as well; without a listener it would end the process.
  stdout.on("error", () => {});
  return (text) =>
    new Promise((resolve, reject) => {
      stdout.write(text, (error) => {
        if (!error) resolve();
        else reject("code" in error && error.code === "EPIPE" ? new OutputClosed() : error);
      });
    });
}
