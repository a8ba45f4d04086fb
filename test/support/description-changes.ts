import { parse } from "yaml";
import { source } from "./description.js";

interface Schema {
  $ref?: string;
  type?: string | string[];
  required?: string[];
  enum?: string[];
  pattern?: string;
  description?: string;
  properties?: Record<string, Schema>;
  anyOf?: Schema[];
  items?: Schema;
}

interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  description: string;
  schema: Schema;
}

interface Operation {
  operationId: string;
  description: string;
  parameters: Parameter[];
  "x-parameterGroups"?: Record<string, { name: string; description: string }>;
  responses: Record<string, object>;
}

export interface Description {
  info: { version: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
}

export interface Change {
  what: string;
  /** What `npm run spec:diff` prints for it. */
  lines: string[];
  /** The version number that it increases, before the rule for versions below 1.0.0. */
  impact: "major" | "minor" | "patch" | "none";
  make(description: Description): void;
}

const parsed: Description = parse(source);

/** A copy of the description, to be changed. */
export const description = (): Description => structuredClone(parsed);

/** The text of a description. JSON is YAML, and is written faster. */
export const textOf = (description: Description): string => JSON.stringify(description);

const operation = (description: Description, path: string, method = "get") =>
  description.paths[path]?.[method] as Operation;
const schema = (description: Description, name: string) => description.components.schemas[name] as Required<Schema>;
const votes = "/api/v2/votes";
const text = (description: string): Schema => ({ type: "string", description });

const lastAccountType = schema(description(), "AccountType").enum.at(-1);

/** Changes with known results. Requests and responses are judged differently: a request may accept more. */
export const changes: Change[] = [
  {
    what: "a new optional parameter",
    lines: ['GET /api/v2/votes: new optional query parameter "testParameter"'],
    impact: "minor",
    make: (all) =>
      operation(all, votes).parameters.push({
        name: "testParameter",
        in: "query",
        description: "A market.",
        schema: text("An id."),
      }),
  },
  {
    what: "a new required parameter",
    lines: ['GET /api/v2/votes: new required query parameter "testParameter" (breaking)'],
    impact: "major",
    make: (all) =>
      operation(all, votes).parameters.push({
        name: "testParameter",
        in: "query",
        required: true,
        description: "A market.",
        schema: text("An id."),
      }),
  },
  {
    what: "a removed parameter",
    lines: ['GET /api/v2/votes: query parameter "partyId" removed (breaking)'],
    impact: "major",
    make: (all) => operation(all, votes).parameters.shift(),
  },
  {
    what: "a parameter that is no longer required",
    lines: ['GET /api/v2/node/signatures: query parameter "id": no longer required'],
    impact: "minor",
    make: (all) => {
      for (const parameter of operation(all, "/api/v2/node/signatures").parameters) parameter.required = false;
    },
  },
  {
    what: "a request member that becomes required",
    lines: ["Transaction.pow: now required (breaking)"],
    impact: "major",
    make: (all) => {
      schema(all, "Transaction").required = ["pow"];
    },
  },
  {
    what: "a new optional request member",
    lines: ["Transaction.testMember: added"],
    impact: "minor",
    make: (all) => {
      schema(all, "Transaction").properties["testMember"] = text("A note.");
    },
  },
  {
    what: "a response member that becomes optional",
    lines: ["Vote.value: now optional (breaking)"],
    impact: "major",
    make: (all) => {
      const vote = schema(all, "Vote");
      vote.required = vote.required.filter((name) => name !== "value");
    },
  },
  {
    what: "a response member that becomes required",
    lines: ["BalanceChange.assetId: now required"],
    impact: "minor",
    make: (all) => schema(all, "BalanceChange").required.push("assetId"),
  },
  {
    what: "a new response member",
    lines: ["Vote.testMember: added"],
    impact: "minor",
    make: (all) => {
      schema(all, "Vote").properties["testMember"] = text("Why.");
    },
  },
  {
    what: "a removed response member",
    lines: ["PartyProfile.alias: removed (breaking)"],
    impact: "major",
    make: (all) => {
      const profile = schema(all, "PartyProfile");
      delete profile.properties["alias"];
      profile.required = ["partyId", "metadata"];
    },
  },
  {
    what: "a response member that can become null",
    lines: [
      "PartyProfile.alias: type changed from string to string or null (breaking)",
      "PartyProfile: documentation changed",
    ],
    impact: "major",
    make: (all) => {
      schema(all, "PartyProfile").properties["alias"] = { ...text("A name."), type: ["string", "null"] };
    },
  },
  {
    what: "a response member of another type",
    lines: [
      "PartyProfile.alias: type changed from string to integer (breaking)",
      "PartyProfile: documentation changed",
    ],
    impact: "major",
    make: (all) => {
      schema(all, "PartyProfile").properties["alias"] = { type: "integer", description: "A number." };
    },
  },
  {
    what: "a new name of an enumeration",
    lines: ['AccountType: "ACCOUNT_TYPE_OF_A_TEST" added'],
    impact: "minor",
    make: (all) => schema(all, "AccountType").enum.push("ACCOUNT_TYPE_OF_A_TEST"),
  },
  {
    what: "a removed name of an enumeration",
    lines: [`AccountType: "${lastAccountType}" removed (breaking)`],
    impact: "major",
    make: (all) => {
      schema(all, "AccountType").enum.pop();
    },
  },
  {
    what: "a new operation",
    lines: ["GET /api/v2/ballots: added"],
    impact: "minor",
    make: (all) => {
      const { [votes]: path } = all.paths;
      all.paths["/api/v2/ballots"] = { get: { ...(path?.["get"] as Operation), operationId: "listBallots" } };
    },
  },
  {
    what: "a removed operation",
    lines: ["POST /transaction/check: removed (breaking)"],
    impact: "major",
    make: (all) => {
      delete all.paths["/transaction/check"];
    },
  },
  {
    what: "another name of an operation",
    lines: ['GET /api/v2/votes: operationId changed from "listVotes" to "listBallots" (breaking)'],
    impact: "major",
    make: (all) => {
      operation(all, votes).operationId = "listBallots";
    },
  },
  {
    what: "another text of a description",
    lines: ["GET /api/v2/votes: documentation changed"],
    impact: "patch",
    make: (all) => {
      operation(all, votes).description = "Lists votes.";
    },
  },
  { what: "no change", lines: [], impact: "none", make: () => {} },
];
