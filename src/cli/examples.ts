/** Examples of commands. They run against the node of `vegaprotocol-client fake-node --defects`, in this order, in one folder. */
export interface Guide {
  /** Without the name of the program. */
  readonly examples: readonly string[];
  /** Further commands. */
  readonly seeAlso?: readonly string[];
}

const proposal = "f6f6901e050ff367ac337ee965f6af306317f0840cbccad5915f03e766ee22a5";
const party = "2f166fdafb0e52176bc7dc26f492c4f06fc1b869c53e6da5b936324a3df8d18f";
const resource = "2714a8b0c56afeaeb511b3017f7e85d188055092a2d702c4febff7be8bf6556b";

const guides: Readonly<Record<string, Guide>> = {
  votes: {
    examples: [
      `votes --proposal ${proposal} --limit 10`,
      `votes --party ${party} --columns timestamp,value`,
      `votes --proposal ${proposal} --output votes.json`,
    ],
    seeAlso: ["follow votes"],
  },
  profiles: {
    examples: ["profiles --limit 10", `profiles --party ${party} --format json`, "profiles --output profiles.csv.gz"],
  },
  balances: {
    examples: [
      "balances --limit 10 --columns timestamp,balance,accountType --decimals 18",
      "balances --account-type general --account-type bond --order newest-first --limit 10",
      "balances --from 2024-02-09T16:54:30Z --to 2024-02-09T16:54:45Z --output balances.csv",
      "balances --output all.ndjson.gz --resume",
    ],
    seeAlso: ["verify", "follow balances"],
  },
  signatures: {
    examples: [`signatures --id ${resource}`, `signatures --id ${resource} --columns sig --format csv`],
    seeAlso: ["follow signatures"],
  },
  spam: { examples: [`spam --party ${party}`, `spam --party ${party} --format json`] },
  check: {
    examples: ["check transaction.json", "check < transaction.json"],
  },
  "follow balances": {
    examples: ["follow balances --from start --limit 5", "follow balances --from start --output followed.csv --resume"],
    seeAlso: ["balances"],
  },
  "follow votes": {
    examples: [
      `follow votes --proposal ${proposal} --from start --limit 5`,
      `follow votes --proposal ${proposal} --output followed-votes.ndjson --resume`,
    ],
    seeAlso: ["votes"],
  },
  "follow signatures": {
    examples: [
      `follow signatures --id ${resource} --limit 5`,
      `follow signatures --id ${resource} --output followed-signatures.ndjson --resume`,
    ],
    seeAlso: ["signatures"],
  },
  nodes: {
    examples: ["nodes", "nodes --format json --columns url,state,lag", "nodes --node http://127.0.0.1:8080 --raw"],
  },
  sync: {
    examples: [
      "sync vega.db",
      `sync vega.db votes signatures --proposal ${proposal} --id ${resource}`,
      "sync vega.db --check",
    ],
    seeAlso: ["balances", "follow balances"],
  },
  verify: {
    examples: ["verify balances.csv", "verify balances.csv --node http://127.0.0.1:8080 --quiet"],
    seeAlso: ["balances"],
  },
  serve: {
    examples: ["serve --port 8081", "serve --port 8081 --cors https://page.example --caller-rate 20"],
    seeAlso: ["nodes", "fake-node"],
  },
  "fake-node": {
    examples: [
      "fake-node --port 8090",
      "fake-node --port 8090 --balances 20000 --defects --no-rate-limit",
      "fake-node --port 8090 --block-every 1s --nodes 3 --lag 0,0,600 --fault latency=200ms,503=5%",
    ],
    seeAlso: ["serve", "replay"],
  },
  record: {
    examples: ["record recordings --port 8082", "record recordings --port 8082 --node http://127.0.0.1:8080"],
    seeAlso: ["replay"],
  },
  replay: { examples: ["replay recordings --port 8082", "replay recordings"], seeAlso: ["record", "fake-node"] },
  completion: {
    examples: ["completion bash", "completion zsh", "completion fish"],
  },
  help: { examples: ["help balances", "help follow votes"] },
};

/** A list that has no guide has an example of what all lists have in common. */
export const guideTo = (name: string): Guide => guides[name] ?? { examples: [`${name} --limit 10`] };
