import { ignore } from "./item-iterator.js";

/** Of several calls of a function, `begin` makes the first one early: the first `call` returns its result. */
export function early<Args extends unknown[], Result>(call: (...args: Args) => PromiseLike<Result>) {
  let begun: Promise<Result> | undefined;
  return {
    begin(...args: Args): void {
      begun = (async () => call(...args))();
      // Handled by the first call, which may come later, or never.
      begun.catch(ignore);
    },
    call(...args: Args): PromiseLike<Result> {
      const first = begun;
      begun = undefined;
      return first ?? call(...args);
    },
  };
}
