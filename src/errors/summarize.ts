/** Returns the beginning of a body on one line: enough to recognise the error page of a proxy. */
export function summarize(body: unknown): string {
  const text = (typeof body === "string" ? body : body === undefined ? "" : (JSON.stringify(body) ?? ""))
    .replace(/\s+/g, " ")
    .trim();
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
