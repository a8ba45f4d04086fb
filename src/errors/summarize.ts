/** Returns the beginning of a body on one line: enough to recognize the error page of a proxy. */
export function summarize(body: unknown): string {
  const text = textOf(body).replace(/\s+/g, " ").trim();
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

function textOf(body: unknown): string {
  if (typeof body === "string") return body;
  try {
    return JSON.stringify(body) ?? "";
  } catch {
    // JSON.parse reads deeper nesting than JSON.stringify writes.
    return "deeply nested JSON";
  }
}
