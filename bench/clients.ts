/** One call and one walk, by this client and by what a user would otherwise take. */
import axios from "axios";
import ky from "ky";
import createHttp from "openapi-fetch";
import { createClient, type VegaClient } from "../dist/src/index.js";
import { nodePool } from "../dist/src/pool/index.js";
import type { paths } from "../generated/openapi.js";
import { createClient as createGenerated } from "./generated/client/index.js";
import { getSpamStatistics, listNodeSignatures } from "./generated/sdk.gen.js";

export interface Way {
  /** One call with its result as an object. */
  call(): Promise<unknown>;
  /** Goes over so many records, page by page, and looks at each. */
  walk(records: number, pageSize: number): Promise<number>;
}

type Signatures = paths["/api/v2/node/signatures"]["get"]["responses"][200]["content"]["application/json"];

const partyId = "3839f8c82a3e36accef530b124044184b618ff463668744370c77c8134f6f0d1";
const id = partyId;
const callPath = `/statistics/spam/${partyId}`;
const pagePath = (size: number, after: string | undefined) =>
  `/api/v2/node/signatures?id=${id}&pagination.first=${size}${after === undefined ? "" : `&pagination.after=${after}`}`;

/** The usual hand-written loop over a function that fetches one page. */
function byHand(getPage: (size: number, after: string | undefined) => Promise<Signatures | undefined>): Way["walk"] {
  return async (records, pageSize) => {
    let seen = 0;
    let length = 0;
    let after: string | undefined;
    for (;;) {
      const { signatures } = (await getPage(pageSize, after)) ?? {};
      if (!signatures?.pageInfo) throw new Error("This is no page.");
      for (const { node } of signatures.edges) {
        length += node?.sig?.length ?? 0;
        if (++seen === records) return length;
      }
      if (!signatures.pageInfo.hasNextPage) return length;
      after = signatures.pageInfo.endCursor;
    }
  };
}

const byClient = (client: VegaClient): Way => ({
  call: () => client.getSpamStatistics({ partyId }),
  walk: async (maxItems, first) => {
    let length = 0;
    for await (const { sig } of client.listNodeSignatures({ id, pagination: { first } }, { maxItems })) {
      length += sig?.length ?? 0;
    }
    return length;
  },
});

export function waysTo(baseUrl: string): Record<string, Way> {
  const http = createHttp<paths>({ baseUrl });
  const generated = createGenerated({ baseUrl });
  const byAxios = axios.create({ baseURL: baseUrl });
  const byKy = ky.create({ prefixUrl: baseUrl });
  // With a deadline, as a program that waits for a server needs one.
  const fetched = async (path: string) => {
    const response = await fetch(baseUrl + path, { signal: AbortSignal.timeout(30_000) });
    return response.json();
  };
  return {
    fetch: {
      call: () => fetched(callPath),
      walk: byHand(async (size, after) => (await fetched(pagePath(size, after))) as Signatures),
    },
    "openapi-fetch": {
      call: () => http.GET("/statistics/spam/{partyId}", { params: { path: { partyId } } }),
      walk: byHand(async (first, after) => {
        const query = { id, "pagination.first": first, ...(after !== undefined && { "pagination.after": after }) };
        return (await http.GET("/api/v2/node/signatures", { params: { query } })).data;
      }),
    },
    "hey-api": {
      call: () => getSpamStatistics({ client: generated, path: { partyId } }),
      walk: byHand(async (first, after) => {
        const query = { id, "pagination.first": first, ...(after !== undefined && { "pagination.after": after }) };
        return (await listNodeSignatures({ client: generated, query })).data as Signatures | undefined;
      }),
    },
    ky: {
      call: () => byKy.get(callPath.slice(1)).json(),
      walk: byHand((size, after) => byKy.get(pagePath(size, after).slice(1)).json()),
    },
    axios: {
      call: async () => (await byAxios.get(callPath)).data,
      walk: byHand(async (size, after) => (await byAxios.get(pagePath(size, after))).data),
    },
    "vegaprotocol-client": byClient(createClient({ baseUrl })),
  };
}

/** One node, and a pool of three: one server for all, at several paths. */
export function waysToNodes(baseUrl: string): Record<"one node" | "three nodes", Way> {
  const nodes = ["/a", "/b", "/c"].map((path) => baseUrl + path);
  return {
    "one node": byClient(createClient({ baseUrl: `${baseUrl}/a` })),
    "three nodes": byClient(createClient({ baseUrl: nodePool(nodes) })),
  };
}
