/** The status codes of gRPC that nodes use, with the HTTP status that the gateway makes of each. */
const httpStatuses: Readonly<Record<number, number>> = {
  1: 408,
  2: 500,
  3: 400,
  4: 504,
  5: 404,
  6: 409,
  7: 403,
  8: 429,
  9: 400,
  10: 409,
  11: 400,
  12: 501,
  13: 500,
  14: 503,
  15: 500,
  16: 401,
};

/** The text of an error whose cause is in its details. */
const messages: Readonly<Record<number, string>> = { 3: "InvalidArgument error", 13: "Internal error" };

export interface ErrorDetail {
  code: number;
  message: string;
  inner?: string;
}

/** An error response of a node. */
export class NodeError extends Error {
  readonly body: { code: number; message: string; details: object[] };

  /** @param code - The status code of gRPC. */
  constructor(code: number, message: string, details: object[] = []) {
    super(message);
    this.body = { code, message, details };
  }

  get status(): number {
    return httpStatuses[this.body.code] ?? 500;
  }
}

/**
 * An error of the gateway in front of the data node. On v0.74 nodes such a response has one `Content-Type`, neither block
 * nor rate headers, and costs no token.
 */
export class GatewayError extends NodeError {}

/** An error of the data node, with its cause in the details. */
export function dataNodeError(code: number, { inner = "", ...detail }: ErrorDetail): NodeError {
  const type = "type.googleapis.com/vega.ErrorDetail";
  return new NodeError(code, messages[code] ?? detail.message, [{ "@type": type, ...detail, inner }]);
}

export const invalidPagination = (inner: string) =>
  dataNodeError(3, { code: 10028, message: "invalid pagination", inner });

export const tooLarge = (size: number, most: number) =>
  new GatewayError(8, `grpc: received message larger than max (${size} vs. ${most})`);

/** The gRPC status code that goes with an HTTP status; 2, "unknown", if none does. */
export function grpcCode(status: number): number {
  if (status === 500) return 13;
  return Number(Object.entries(httpStatuses).find(([, each]) => each === status)?.[0] ?? 2);
}
