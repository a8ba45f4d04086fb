import { operationTexts } from "../../../../cli/generated/operation-texts.js";
import { cellText, timePrinter, type WireRecord } from "../../../../cli/src/output/cells.js";
import { hints } from "../../../../generated/hints.js";
import { type FormValues, type OperationId, operationOf } from "./fields.js";
import type { ConsoleResponse } from "./request.js";

interface PageInfo {
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  startCursor: string;
  endCursor: string;
}

interface Connection {
  edges: { node: WireRecord }[];
  pageInfo: PageInfo;
}

/** The page that a response holds, if it holds one. */
function connectionOf(json: unknown): Connection | undefined {
  if (typeof json !== "object" || json === null) return undefined;
  return Object.values(json).find((member) => Array.isArray(member?.edges) && member.pageInfo);
}

export const pageInfoOf = (json: unknown): PageInfo | undefined => connectionOf(json)?.pageInfo;

export function summaryOf({ status, json }: ConsoleResponse): string {
  const page = connectionOf(json);
  if (page === undefined) return `Status ${status}`;
  const count = page.edges.length === 1 ? "1 record" : `${page.edges.length} records`;
  return `Status ${status}: ${count}${page.pageInfo.hasNextPage ? ", and a next page" : ""}`;
}

export const textOf = ({ json, text }: ConsoleResponse): string =>
  json === undefined ? text : JSON.stringify(json, null, 2);

/** Why a node rejected a cursor, if it rejects every cursor of the list. */
export function adviceOn(id: OperationId, status: number, values: FormValues): string | undefined {
  const hasCursor = Boolean(values["pagination.after"] || values["pagination.before"]);
  if (operationOf(id).cursors?.rejectedWith !== status || !hasCursor) return undefined;
  return (hints as Partial<Record<OperationId, { rejectedCursor?: string }>>)[id]?.rejectedCursor;
}

/** A result as a table. */
export interface ResultTable {
  /** What a row is. */
  kind: "record" | "member";
  columns: readonly string[];
  rows: readonly (readonly string[])[];
}

/** The records of a page, a row each; of any other object, a row for each member. */
export function tableOf(id: OperationId, json: unknown): ResultTable | undefined {
  if (typeof json !== "object" || json === null) return undefined;
  const page = connectionOf(json);
  if (page === undefined) return { kind: "member", columns: ["member", "value"], rows: membersOf(json, "") };
  const records = page.edges.map(({ node }) => node);
  const sent = new Set(records.flatMap((record) => Object.keys(record)));
  const { columns: kinds = {} } = operationTexts[id];
  // Newer nodes send members that the description does not have.
  const names = [...Object.keys(kinds).filter((name) => sent.has(name)), ...[...sent].filter((name) => !kinds[name])];
  const columns = names.map((name) => {
    const kind = kinds[name] ?? "json";
    return { name, kind, print: kind === "time" ? timePrinter() : (text: string) => text };
  });
  const rows = records.map((record) => columns.map((column) => cellText(record, column)));
  return { kind: "record", columns: names, rows };
}

function membersOf(value: object, path: string): string[][] {
  return Object.entries(value).flatMap(([name, member]) => {
    const place = Array.isArray(value) ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`;
    const hasMembers = typeof member === "object" && member !== null && Object.keys(member).length > 0;
    if (hasMembers) return membersOf(member, place);
    return [[place, typeof member === "string" ? member : JSON.stringify(member)]];
  });
}
