import { runCli } from "./run-cli.js";

/** A gateway that runs in this process. */
export interface RunningGateway {
  readonly url: string;
  /** The lines of its log. */
  readonly log: () => Record<string, unknown>[];
  /** Interrupts it, and returns its exit code and output. */
  close(): Promise<{ code: number; stdout: string; stderr: string }>;
}

/** Starts the command `serve` on a free port. */
export async function startGateway(
  nodes: readonly string[],
  flags: readonly string[] = [],
  fetch?: (request: Request) => Promise<Response>,
): Promise<RunningGateway> {
  const controller = new AbortController();
  let stderr = "";
  let listening: (url: string) => void = () => {};
  const url = new Promise<string>((resolve) => {
    listening = resolve;
  });
  const ended = runCli(["serve", "--port", "0", ...nodes.flatMap((node) => ["--node", node]), ...flags], {
    fetch,
    signal: controller.signal,
    onOutput: (text) => {
      listening(text.trim());
      return undefined;
    },
    onErrorOutput: (text) => {
      stderr += text;
    },
  });
  const failed = ended.then(({ stderr: message }) => {
    throw new Error(`The gateway has ended: ${message}`);
  });
  failed.catch(() => {});
  return {
    url: await Promise.race([url, failed]),
    log: () =>
      stderr
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    close: () => {
      controller.abort(new Error("interrupted"));
      return ended;
    },
  };
}

/** What a loop over `endCursor` gets, as everybody writes it. */
export interface LoopResult {
  records: Record<string, string>[];
  pages: number;
}

/** Walks a list with the plain loop: `after = endCursor` while `hasNextPage`. */
export async function loop(
  base: string,
  path: string,
  envelope: string,
  { send = (url: string) => fetch(url), mostPages = 10_000, backward = false } = {},
): Promise<LoopResult> {
  const records: Record<string, string>[] = [];
  let cursor: string | undefined;
  for (let pages = 1; pages <= mostPages; pages++) {
    const name = backward ? "before" : "after";
    const place = cursor === undefined ? "" : `&pagination.${name}=${encodeURIComponent(cursor)}`;
    const response = await send(`${base}${path}${place}`);
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    const { edges, pageInfo } = ((await response.json()) as Record<string, Body>)[envelope] as Body;
    const nodes = edges.map(({ node }) => node);
    records.push(...(backward ? nodes.reverse() : nodes));
    cursor = backward ? pageInfo.startCursor : pageInfo.endCursor;
    if (!(backward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage)) return { records, pages };
  }
  throw new Error(`No end after ${mostPages} pages.`);
}

interface Body {
  edges: { node: Record<string, string>; cursor: string }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string; endCursor: string };
}
