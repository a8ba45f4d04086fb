interface EventBase {
  /** The operation: the name of the client's method. */
  operation: string;
  /** Which attempt of the call it is about, counted from 1. */
  attempt: number;
  /** When, in milliseconds since 1970. */
  time: number;
}

/** What an error was, as plain data. */
export interface ObservedError {
  /** As in `"ConnectionError"`. */
  name: string;
  message: string;
  /** The HTTP status, where there was an answer. */
  status?: number | undefined;
}

/** A request leaves. */
export interface AttemptEvent extends EventBase {
  type: "attempt";
  method: string;
  url: string;
}

/** An attempt has ended: with an answer, body included, or with an error. There is one for every attempt. */
export interface ResponseEvent extends EventBase {
  type: "response";
  /** Milliseconds from the request's leaving to the end of its body, or to the error. */
  duration: number;
  /** The HTTP status; `undefined` where there was no answer. */
  status: number | undefined;
  /** What failed; `undefined` where nothing did. */
  error: ObservedError | undefined;
}

/** The call will be tried again. */
export interface RetryEvent extends EventBase {
  type: "retry";
  /** Milliseconds until then. */
  delay: number;
  /** What the attempt failed with. */
  error: ObservedError;
}

/** A request is held back, so that the node does not refuse it. */
export interface PauseEvent extends EventBase {
  type: "pause";
  /** Milliseconds that it will take, as far as the node's limits tell. */
  delay: number;
  /** What holds it back: the limit, or the node's word that the limit is used up. */
  cause: "limit" | "refusal";
}

/** What {@link ClientOptions.observe} is told. */
export type ObserverEvent = AttemptEvent | ResponseEvent | RetryEvent | PauseEvent;
