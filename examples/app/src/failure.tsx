import { useEffect, useState } from "react";
import { ApiError, ConnectionError, PaginationError, RateLimitError, TimeoutError } from "vegaprotocol-client";

const transient = [408, 500, 502, 503, 504];

/** Whether the same call can succeed later. */
export function canRetry(error: Error): boolean {
  if (PaginationError.is(error)) return error.reason === "behind";
  if (RateLimitError.is(error)) return true;
  if (ApiError.is(error)) return transient.includes(error.status);
  return ConnectionError.is(error) || TimeoutError.is(error);
}

/** How long the node rejects requests, in milliseconds. */
const waitOf = (error: Error) => (RateLimitError.is(error) ? (error.retryAfter ?? 1) * 1000 : 0);

interface Props {
  error: Error;
  onRetry: () => void;
}

/** An error of the client. Its message says what to do. */
export function Failure({ error, onRetry }: Props) {
  const [isWaiting, setWaiting] = useState(waitOf(error) > 0);
  useEffect(() => {
    const wait = waitOf(error);
    setWaiting(wait > 0);
    const timer = setTimeout(() => setWaiting(false), wait);
    return () => clearTimeout(timer);
  }, [error]);
  return (
    <div className="notice failure" role="alert">
      <p>{error.message}</p>
      {canRetry(error) && (
        <button type="button" disabled={isWaiting} onClick={onRetry}>
          Retry
        </button>
      )}
    </div>
  );
}
