import { computed, reactive, ref } from "vue";
import type { NodeState } from "./example-node.js";
import { type FormValues, fieldsOf, type OperationId } from "./fields.js";
import { type ConsoleResponse, exampleUrl, requestFor, send } from "./request.js";
import { curlSample, typescriptSample } from "./samples.js";

interface PageInfo {
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  startCursor: string;
  endCursor: string;
}

/** The state of a console: the form, the last response, and what can be done with both. */
export function useConsole(id: OperationId, initial: FormValues) {
  const fields = fieldsOf(id);
  const empty = () =>
    Object.fromEntries(fields.map(({ path, kind, ...field }) => [path, isChoice({ kind, ...field }) ? [] : ""]));
  const values = reactive<FormValues>({ ...empty(), ...structuredClone(initial) });
  const baseUrl = ref(exampleUrl);
  const isExample = computed(() => originOf(baseUrl.value) === exampleUrl);
  const nodeState = ref<NodeState>("ready");
  const response = ref<ConsoleResponse>();
  const problem = ref<string>();
  const notice = ref<string>();
  const isSending = ref(false);
  let latest = 0;

  async function submit(): Promise<void> {
    latest += 1;
    const current = latest;
    isSending.value = true;
    problem.value = undefined;
    notice.value = undefined;
    const [received, failure] = await attempt();
    // The response to an earlier request is out of date.
    if (current !== latest) return;
    isSending.value = false;
    response.value = received;
    problem.value = failure;
  }

  async function attempt(): Promise<[ConsoleResponse | undefined, string | undefined]> {
    if (originOf(baseUrl.value) === undefined)
      return [undefined, "Enter the URL of a node, such as https://node.example."];
    try {
      if (isExample.value) (await import("./example-node.js")).setNodeState(nodeState.value);
      return [await send(requestFor(id, baseUrl.value, values)), undefined];
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return [
        undefined,
        `No response from ${baseUrl.value}: ${reason}. Is the node reachable, and does it allow requests from this page (CORS)?`,
      ];
    }
  }

  const pageInfo = computed(() => pageInfoOf(response.value?.json));

  /** Requests the page after or before the one that is shown. */
  function turn(direction: "next" | "previous"): Promise<void> {
    const size = values["pagination.first"] || values["pagination.last"] || "";
    const isNext = direction === "next";
    Object.assign(values, {
      "pagination.first": isNext ? size : "",
      "pagination.after": isNext ? (pageInfo.value?.endCursor ?? "") : "",
      "pagination.last": isNext ? "" : size,
      "pagination.before": isNext ? "" : (pageInfo.value?.startCursor ?? ""),
    });
    return submit();
  }

  function reset(): void {
    Object.assign(values, empty(), structuredClone(initial));
    baseUrl.value = exampleUrl;
    nodeState.value = "ready";
    latest += 1;
    isSending.value = false;
    response.value = undefined;
    problem.value = undefined;
    notice.value = undefined;
  }

  async function beginNextBlock(): Promise<void> {
    const node = (await import("./example-node.js")).exampleNode();
    node.nextBlock();
    notice.value = `Block ${node.block.height} has begun.`;
  }

  return {
    fields,
    values,
    baseUrl,
    isExample,
    nodeState,
    response,
    problem,
    notice,
    isSending,
    pageInfo,
    summary: computed(() => response.value && summaryOf(response.value)),
    body: computed(() => response.value && textOf(response.value)),
    typescript: computed(() => typescriptSample(id, baseUrl.value, values)),
    curl: computed(() => curlSample(id, baseUrl.value, values)),
    submit,
    turn,
    reset,
    beginNextBlock,
  };
}

/** Whether a field is a choice of several names. */
export const isChoice = (field: { kind: string; items?: { kind: string } }): boolean =>
  field.kind === "array" && field.items?.kind === "enum";

function originOf(url: string): string | undefined {
  try {
    const { origin, protocol } = new URL(url);
    return /^https?:$/.test(protocol) ? origin : undefined;
  } catch {
    return undefined;
  }
}

/** The page that a response holds, if it holds one. */
function connectionOf(json: unknown): { edges: unknown[]; pageInfo: PageInfo } | undefined {
  if (typeof json !== "object" || json === null) return undefined;
  return Object.values(json).find((member) => Array.isArray(member?.edges) && member.pageInfo);
}

const pageInfoOf = (json: unknown): PageInfo | undefined => connectionOf(json)?.pageInfo;

function summaryOf({ status, json }: ConsoleResponse): string {
  const page = connectionOf(json);
  if (page === undefined) return `Status ${status}`;
  const count = page.edges.length === 1 ? "1 record" : `${page.edges.length} records`;
  return `Status ${status}: ${count}${page.pageInfo.hasNextPage ? ", and a next page" : ""}`;
}

const textOf = ({ json, text }: ConsoleResponse): string => (json === undefined ? text : JSON.stringify(json, null, 2));
