import type { operations } from "../../generated/openapi.js";
import { answers } from "../../generated/shapes.js";
import { show } from "../arguments/refuse.js";
import { ArgumentError, ResponseError } from "../errors/index.js";
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
   * What happens with an answer that is not what the description says: `"throw"` ends the call with a `ResponseError`, whose
   * `body` is the whole answer; a function is told, and the answer passes. What it throws ends the call.
   */
  onMismatch: "throw" | ((mismatch: AnswerMismatch) => void);
}

/**
 * Checks answers against the description, for the option `validate` of `createClient`. Wrong types and missing members are
 * named by their path; members and names of enumerations that the description does not know pass, and so does any text.
 *
 * @throws `ArgumentError` where `onMismatch` is not what it has to be.
 * @example
 * ```ts
 * const client = createClient({ baseUrl, validate: validateAnswers({ onMismatch: "throw" }) });
 * ```
 */
export function validateAnswers({ onMismatch }: ValidateOptions): (answer: CheckedAnswer) => void {
  if (onMismatch !== "throw" && typeof onMismatch !== "function") {
    throw new ArgumentError(`Expected \`onMismatch\` to be "throw" or a function, got ${show(onMismatch)}.`, {
      argument: "onMismatch",
    });
  }
  return (answer) => {
    const { operation, calledBy, body, response, attempts } = answer;
    const shape = answers[operation];
    if (shape.fits(body)) return;
    const mismatches = shape.explain(body, "");
    if (onMismatch !== "throw") return onMismatch({ ...answer, mismatches });
    const [first, ...others] = mismatches;
    const more = others.length > 0 ? ` (and in ${others.length} more ${others.length === 1 ? "place" : "places"})` : "";
    throw new ResponseError(
      `${calledBy} got an answer that is not what the description says: expected \`${first?.path || "the answer"}\` to be ` +
        `${first?.expected}, got ${first?.got}${more}, from ${response.url}`,
      { operation: calledBy, attempts, response, body },
    );
  };
}
