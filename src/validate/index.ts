import type { operations } from "../../generated/openapi.js";
import { answers } from "../../generated/shapes.js";
import { refuse } from "../arguments/refuse.js";
import { ResponseError } from "../errors/index.js";
import type { Mismatch } from "./shape.js";

export type { Mismatch } from "./shape.js";

/** An answer that came, before its caller gets it. */
export interface CheckedAnswer {
  /** Whose answer it is, by the description. */
  operation: keyof operations;
  /** What was called: the name of the client's method. */
  calledBy: string;
  /** The whole body, parsed. */
  body: unknown;
  response: Response;
  attempts: number;
}

/** An answer that is not what the description says. */
export interface AnswerMismatch extends CheckedAnswer {
  /** Where it is not. */
  mismatches: Mismatch[];
}

export interface ValidateOptions {
  /**
   * What happens with a response that does not match the description. `"throw"` rejects the call with a `ResponseError`, whose `body` is the whole
   * response. A function is called with the mismatch, and the call continues. What the function throws rejects the call, and so does a promise
   * that it returns, if that rejects: the call waits for it.
   */
  onMismatch: "throw" | ((mismatch: AnswerMismatch) => void);
}

/**
 * Returns a function for the option `validate` of `createClient`, which checks responses against the description. Wrong types and missing
 * members are reported with their path. Members and names of enumerations that the description does not know are accepted, and so is any text.
 *
 * @throws `ArgumentError` if `onMismatch` is neither `"throw"` nor a function.
 * @example
 * ```ts
 * const client = createClient({ baseUrl, validate: validateAnswers({ onMismatch: "throw" }) });
 * ```
 */
export function validateAnswers(options: ValidateOptions): (answer: CheckedAnswer) => void {
  // Not only by the compiler: the options may come from JavaScript.
  const { onMismatch } = (options ?? {}) as ValidateOptions;
  if (onMismatch !== "throw" && typeof onMismatch !== "function") {
    refuse({ argument: "onMismatch" }, '"throw" or a function', onMismatch);
  }
  return (answer) => {
    const { operation, calledBy, body, response, attempts } = answer;
    const shape = answers[operation];
    if (shape.fits(body)) return;
    const mismatches = shape.explain(body, "");
    // What it returns may be a promise, which the call waits for.
    if (onMismatch !== "throw") return onMismatch({ ...answer, mismatches });
    const [first, ...others] = mismatches;
    const more = others.length > 0 ? ` (and in ${others.length} more ${others.length === 1 ? "place" : "places"})` : "";
    throw new ResponseError(
      `${calledBy} received a response that does not match the OpenAPI description: expected ` +
        `\`${first?.path || "the response"}\` to be ${first?.expected}, got ${first?.got}${more}, from ${response.url}`,
      { operation: calledBy, attempts, response, body },
    );
  };
}
