import { computed, onMounted, reactive, ref } from "vue";
import type { NodeState } from "./example-node.js";
import { type FormValues, fieldsOf, isChoice, type OperationId } from "./fields.js";
import { formOf, linkOf } from "./link.js";
import { type ConsoleResponse, exampleUrl, requestFor, send } from "./request.js";
import { adviceOn, pageInfoOf, summaryOf, tableOf, textOf } from "./result.js";
import { curlSample, typescriptSample } from "./samples.js";

/** The state of a console: the form, the last response, and what can be done with both. */
export function useConsole(id: OperationId, initial: FormValues) {
  const fields = fieldsOf(id);
  const empty = () => Object.fromEntries(fields.map((field) => [field.path, isChoice(field) ? [] : ""]));
  const values = reactive<FormValues>({ ...empty(), ...structuredClone(initial) });
  const baseUrl = ref(exampleUrl);
  const isExample = computed(() => originOf(baseUrl.value) === exampleUrl);
  const nodeState = ref<NodeState>("ready");
  const response = ref<ConsoleResponse>();
  const problem = ref<string>();
  const notice = ref<string>();
  const advice = ref<string>();
  const isSending = ref(false);
  let latest = 0;

  async function submit(): Promise<void> {
    forget();
    const current = latest;
    const sent = { ...values };
    isSending.value = true;
    const [received, failure] = await attempt();
    // The response to an earlier request is out of date.
    if (current !== latest) return;
    isSending.value = false;
    response.value = received;
    problem.value = failure;
    advice.value = received && adviceOn(id, received.status, sent);
  }

  /** Forgets the last request and what was said about it, but not its response. */
  function forget(): void {
    latest += 1;
    isSending.value = false;
    problem.value = undefined;
    notice.value = undefined;
    advice.value = undefined;
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
    response.value = undefined;
    forget();
  }

  // The page is written without its address, and Vue expects that form at first.
  onMounted(() => {
    const form = formOf(id, location.search);
    if (form === undefined) return;
    Object.assign(values, empty(), form.values);
    baseUrl.value = form.baseUrl;
    nodeState.value = form.nodeState;
    notice.value = "The form has the request of the link. Nothing was sent yet.";
  });

  /** Copies the address of the page with this form, which the page then has. */
  async function copyLink(): Promise<void> {
    const query = linkOf(id, { baseUrl: baseUrl.value, nodeState: nodeState.value, values });
    const url = `${location.pathname}${query}#try-it`;
    history.replaceState(history.state, "", url);
    try {
      await navigator.clipboard.writeText(`${location.origin}${url}`);
      notice.value = "The link was copied. It fills in this form, and sends nothing by itself.";
    } catch {
      // Browsers have no clipboard for pages without TLS, and can ask for permission.
      notice.value = "The address of this page is now the link: copy it from the address bar.";
    }
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
    advice,
    isSending,
    pageInfo,
    summary: computed(() => response.value && summaryOf(response.value)),
    body: computed(() => response.value && textOf(response.value)),
    table: computed(() => response.value && tableOf(id, response.value.json)),
    request: computed(() => requestFor(id, baseUrl.value, values)),
    typescript: computed(() => typescriptSample(id, baseUrl.value, values)),
    curl: computed(() => curlSample(id, baseUrl.value, values)),
    submit,
    turn,
    reset,
    copyLink,
    beginNextBlock,
  };
}

function originOf(url: string): string | undefined {
  try {
    const { origin, protocol } = new URL(url);
    return /^https?:$/.test(protocol) ? origin : undefined;
  } catch {
    return undefined;
  }
}
