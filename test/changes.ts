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
  /** Which version number it asks for, before any rule for versions below 1.0.0. */
  asksFor: "major" | "minor" | "patch" | "none";
  make(description: Description): void;
}

export const description = (): Description => parse(source);

const operation = (description: Description, path: string, method = "get") =>
  description.paths[path]?.[method] as Operation;
const schema = (description: Description, name: string) => description.components.schemas[name] as Required<Schema>;
const votes = "/api/v2/votes";
const text = (description: string): Schema => ({ type: "string", description });

/** Changes with verdicts that are known: requests and answers are judged the other way around. */
export const changes: Change[] = [
  {
    what: "a new optional parameter",
    asksFor: "minor",
    make: (all) =>
      operation(all, votes).parameters.push({
        name: "marketId",
        in: "query",
        description: "A market.",
        schema: text("An id."),
      }),
  },
  {
    what: "a new required parameter",
    asksFor: "major",
    make: (all) =>
      operation(all, votes).parameters.push({
        name: "marketId",
        in: "query",
        required: true,
        description: "A market.",
        schema: text("An id."),
      }),
  },
  {
    what: "a parameter that is gone",
    asksFor: "major",
    make: (all) => operation(all, votes).parameters.shift(),
  },
  {
    what: "a parameter that no longer has to be given",
    asksFor: "minor",
    make: (all) => {
      for (const parameter of operation(all, "/api/v2/node/signatures").parameters) parameter.required = false;
    },
  },
  {
    what: "a request member that has to be given from now on",
    asksFor: "major",
    make: (all) => {
      schema(all, "Transaction").required = ["pow"];
    },
  },
  {
    what: "a new optional request member",
    asksFor: "minor",
    make: (all) => {
      schema(all, "Transaction").properties["memo"] = text("A word on it.");
    },
  },
  {
    what: "an answer's member that can be missing from now on",
    asksFor: "major",
    make: (all) => {
      const vote = schema(all, "Vote");
      vote.required = vote.required.filter((name) => name !== "value");
    },
  },
  {
    what: "an answer's member that is always there from now on",
    asksFor: "minor",
    make: (all) => schema(all, "BalanceChange").required.push("assetId"),
  },
  {
    what: "a new member of an answer",
    asksFor: "minor",
    make: (all) => {
      schema(all, "Vote").properties["reason"] = text("Why.");
    },
  },
  {
    what: "an answer's member that is gone",
    asksFor: "major",
    make: (all) => {
      const profile = schema(all, "PartyProfile");
      delete profile.properties["alias"];
      profile.required = ["partyId", "metadata"];
    },
  },
  {
    what: "an answer's member that can be null from now on",
    asksFor: "major",
    make: (all) => {
      schema(all, "PartyProfile").properties["alias"] = { ...text("A name."), type: ["string", "null"] };
    },
  },
  {
    what: "an answer's member of another type",
    asksFor: "major",
    make: (all) => {
      schema(all, "PartyProfile").properties["alias"] = { type: "integer", description: "A number." };
    },
  },
  {
    what: "a new name in an enumeration, which answers leave open",
    asksFor: "minor",
    make: (all) => schema(all, "AccountType").enum.push("ACCOUNT_TYPE_NEW"),
  },
  {
    what: "a name that an enumeration of a filter no longer takes",
    asksFor: "major",
    make: (all) => {
      schema(all, "AccountType").enum.pop();
    },
  },
  {
    what: "a new operation",
    asksFor: "minor",
    make: (all) => {
      const { [votes]: path } = all.paths;
      all.paths["/api/v2/ballots"] = { get: { ...(path?.["get"] as Operation), operationId: "listBallots" } };
    },
  },
  {
    what: "an operation that is gone",
    asksFor: "major",
    make: (all) => {
      delete all.paths["/transaction/check"];
    },
  },
  {
    what: "another name of an operation",
    asksFor: "major",
    make: (all) => {
      operation(all, votes).operationId = "listBallots";
    },
  },
  {
    what: "another word in a description",
    asksFor: "patch",
    make: (all) => {
      operation(all, votes).description = "Lists votes.";
    },
  },
  { what: "nothing", asksFor: "none", make: () => {} },
];
