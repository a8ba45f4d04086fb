import type { NodeState } from "./example-node.js";
import { type FormValues, fieldsOf, isChoice, type OperationId, textsOf } from "./fields.js";

/** What a link says about the form. */
export interface LinkedForm {
  baseUrl: string;
  nodeState: NodeState;
  /** The fields that are not empty. */
  values: FormValues;
}

const states: readonly string[] = ["limited", "starting"] satisfies NodeState[];

/** The query of a link that fills in the form. Names are those of the fields; `node` is always there. */
export function linkOf(id: OperationId, { baseUrl, nodeState, values }: LinkedForm): string {
  const query = new URLSearchParams({ node: baseUrl });
  if (nodeState !== "ready") query.set("state", nodeState);
  for (const field of fieldsOf(id)) for (const text of textsOf(field, values)) query.append(field.path, text);
  return `?${query}`;
}

/** The form of a link; `undefined` if the address of the page is no link. What the form does not have is ignored. */
export function formOf(id: OperationId, search: string): LinkedForm | undefined {
  const query = new URLSearchParams(search);
  const baseUrl = query.get("node");
  if (baseUrl === null) return undefined;
  const values: FormValues = {};
  for (const field of fieldsOf(id)) {
    const texts = query.getAll(field.path);
    if (texts.length === 0) continue;
    values[field.path] = isChoice(field) ? texts : texts.join("\n");
  }
  const state = query.get("state") ?? "";
  return { baseUrl, nodeState: states.includes(state) ? (state as NodeState) : "ready", values };
}
