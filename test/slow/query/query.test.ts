import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { run } from "../../support/run.js";
import { isNightly } from "../../support/runs.js";
import { collectSamples } from "../../support/samples/collect.js";
import { here } from "./install.js";

const { dehydrate, hydrate, QueryClient } = await import("@tanstack/query-core");
const { createClient } = await import("vegaprotocol-client");
const { queries } = await import("vegaprotocol-client/query");
const { createFakeNode, nodeDefects } = await import("vegaprotocol-client/testing");

function connect(baseUrl = "https://node.example", scope?: string) {
  const data = { votes: 600, balances: 3000, profiles: 20, signatures: 60 };
  const node = createFakeNode(data, { defects: nodeDefects, rateLimit: false });
  const vega = queries(createClient({ baseUrl, fetch: node.fetch }), scope === undefined ? {} : { scope });
  const { partyId = "", proposalId = "" } = node.records.votes[0] ?? {};
  return { node, vega, partyId, proposalId };
}

describe("with TanStack Query", () => {
  test("data that a server fetched by an internal address are equal in a browser, after JSON", async () => {
    const server = connect("http://10.0.0.5:3008", "https://node.example");
    const { vega, partyId, proposalId } = server;
    const queryClient = new QueryClient();
    await queryClient.fetchQuery(vega.getSpamStatistics({ partyId }));
    await queryClient.fetchQuery(vega.listVotes({ proposalId }));
    await queryClient.fetchInfiniteQuery({ ...vega.listBalanceChanges.infinite(), pages: 2 });

    const browser = connect();
    const hydrated = new QueryClient();
    hydrate(hydrated, JSON.parse(JSON.stringify(dehydrate(queryClient))));
    const keys = [
      browser.vega.getSpamStatistics({ partyId }).queryKey,
      browser.vega.listVotes({ proposalId }).queryKey,
      browser.vega.listBalanceChanges.infinite().queryKey,
    ];
    for (const queryKey of keys) {
      expect(hydrated.getQueryData(queryKey)).toBeDefined();
      expect(hydrated.getQueryData(queryKey)).toStrictEqual(queryClient.getQueryData(queryKey));
    }
    const data = await hydrated.fetchQuery({ ...browser.vega.listVotes({ proposalId }), staleTime: 60_000 });
    expect(data.nodes.length).toBeGreaterThan(0);
    expect(browser.node.requests).toEqual([]);
  });
});

const imports = `
import { QueryClient, useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import useSWR from "swr";
import { queries } from "vegaprotocol-client/query";
import { client, partyId, proposalId, tx, vega } from "../../consumer/setting.js";
const queryClient = new QueryClient();
`;

/** The libraries of frameworks: the prefix of their functions, how options are passed, and how data are read. */
const frameworks = {
  angular: { library: "angular-query-experimental", prefix: "inject", isFunction: true, data: "data()" },
  preact: { library: "preact-query", prefix: "use", isFunction: false, data: "data" },
  solid: { library: "solid-query", prefix: "use", isFunction: true, data: "data" },
  svelte: { library: "svelte-query", prefix: "create", isFunction: true, data: "data" },
  vue: { library: "vue-query", prefix: "use", isFunction: false, data: "data.value" },
};

beforeAll(() => {
  for (const name of ["samples", "frameworks"]) {
    rmSync(join(here, "reports", name), { recursive: true, force: true });
    mkdirSync(join(here, "reports", name), { recursive: true });
  }
  // `test/slow/next` compiles the files of an application of Next.js.
  const samples = collectSamples().filter(({ language, code }) => language === "tsx" && !code.startsWith("// app/"));
  expect(samples.length).toBeGreaterThan(8);
  for (const [index, { place, code }] of samples.entries()) {
    // Samples of docstrings are a part of a component. A scope of their own lets them declare what the setting has.
    const isModule = /^import /m.test(code);
    const content = isModule ? code : `${imports}\nexport async function useSample() {\n${code}}\n`;
    // Others import it by the name in its first line.
    const [, name = `sample-${index}.tsx`] = /^\/\/ (\S+\.tsx)\n/.exec(code) ?? [];
    writeFileSync(join(here, "reports/samples", name), `// ${place}\n${content}`);
  }
  for (const [name, { library, prefix, isFunction, data }] of Object.entries(frameworks)) {
    const use = (what: string, options: string) => `${prefix}${what}(${isFunction ? "() => " : ""}${options}).${data}`;
    const program = `
import { ${prefix}InfiniteQuery, ${prefix}Mutation, ${prefix}Query } from "@tanstack/${library}";
import type { BalanceChange, SpamStatisticsResponse, TransactionCheckResult } from "vegaprotocol-client";
import { expectType, partyId, vega } from "../../consumer/setting.js";

export function useTypes() {
  expectType<SpamStatisticsResponse | undefined>()(${use("Query", "vega.getSpamStatistics({ partyId })")});
  const changes = ${use("InfiniteQuery", "vega.listBalanceChanges.infinite()")};
  expectType<BalanceChange[] | undefined>()(changes?.pages.flatMap(({ nodes }) => nodes));
  expectType<TransactionCheckResult | undefined>()(${use("Mutation", "vega.checkTransaction.mutation()")});
}
`;
    writeFileSync(join(here, `reports/frameworks/${name}.ts`), program);
  }
});

test.concurrent.each(isNightly ? ["5.4", "5.9", "7.0"] : ["7.0"])(
  "TypeScript %s compiles the samples that need packages of their own, and infers the types of React, Vue, Solid, Svelte, Preact, Angular and SWR",
  async (version) => {
    const compiler = join(here, `node_modules/typescript-${version}/bin/tsc`);
    const { stdout } = await run(process.execPath, [compiler, "--project", here]).catch((error) => error);
    expect(stdout).toBe("");
  },
);
