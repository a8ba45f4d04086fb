/**
 * Requests in flight, at most, until the limits are known: what a program begins with does not wait, and the smallest buckets
 * reject two requests at most.
 */
export const firstInFlight = 3;
