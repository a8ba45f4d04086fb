/** The type of `generated/operations.ts`: the facts about each operation of `openapi.yaml`. */
import type { OperationId, OperationTypes } from "../../generated/client.js";
import type { Enumeration } from "../values/names.js";

export type OperationTable = {
  readonly [Id in OperationId]: (ListOperation<RecordOf<Id>> | SingleOperation) & {
    readonly atLeastOneOf?: readonly ArgumentNameOf<Id>[];
  };
};

type ArgumentNameOf<Id extends OperationId, Argument = OperationTypes[Id]["arguments"]> = Argument extends unknown
  ? keyof Argument
  : never;

export type RecordOf<Id extends OperationId> = NonNullable<OperationTypes[Id]["record"]>;

/** An operation of the description. */
export interface Operation {
  /** The HTTP method. */
  readonly method: "GET" | "POST";
  /** The path of the URL. A member in braces is an argument with `in: "path"`. */
  readonly path: string;
  /** The members of the argument, by their names in the client. */
  readonly arguments: Arguments;
  /** Members of the argument of which at least one is required. */
  readonly atLeastOneOf?: readonly string[];
  /** Two times, by their names in the query. The start must not be after the end. */
  readonly range?: { readonly start: string; readonly end: string };
  /** The request is sent once: it is not retried. */
  readonly sentOnce?: true;
}

/** An operation that returns a list in pages. */
export interface ListOperation<T> extends Operation {
  readonly kind: "list";
  /** The member of the response that holds the page. */
  readonly envelope: string;
  /** The number of records to request if the caller does not say. */
  readonly defaultPageSize: number;
  /** The members that identify a record. No two records of a list are equal in all of them. */
  readonly naturalKey: readonly (keyof T)[];
  /** The members of a record that a node can send as a number. */
  readonly enums?: { readonly [member: string]: Enumeration };
  /**
   * Names that some versions of nodes reject in a parameter. It is not sent with one of them: the records are selected
   * by the member that the names stand in.
   */
  readonly rejectedNames?: { readonly parameter: string; readonly member: keyof T; readonly names: readonly string[] };
  /** How the cursors of v0.74 nodes fail. Absent: they are reliable. */
  readonly cursors?: {
    /** The member of the decoded cursor that holds the time of the record's block. */
    readonly timeMember?: string;
    /**
     * A member of the decoded cursor that is always `null`. Its correct value is the SHA-256, in hexadecimal, of the
     * joined text of the members `sha256Of` of the record.
     */
    readonly missingMember?: { readonly name: string; readonly sha256Of: readonly (keyof T)[] };
    /** The status of every response to a request with a cursor. A retry does not help. */
    readonly rejectedWith?: number;
  };
}

/** An operation that returns one object. */
export interface SingleOperation extends Operation {
  readonly kind: "single";
  /** The members that every response has. An object that lacks one of them is not a response of this operation. */
  readonly responseMembers: readonly string[];
}

/** A value of an argument: the accepted types, and how it is sent. */
export type Value =
  /** An id: an even number of hexadecimal digits, which are sent in lower case, or a name that nodes know. */
  | { readonly kind: "id" }
  /** A non-empty string of well-formed Unicode, sent as it is. */
  | { readonly kind: "text" }
  /** One of the known names. With `pattern`, any other name that matches this regular expression as well. */
  | ({ readonly kind: "enum"; readonly pattern?: string } & Enumeration)
  | { readonly kind: "boolean" }
  /** A 32-bit integer within the bounds, which are inclusive. */
  | { readonly kind: "int32"; readonly minimum?: number; readonly maximum?: number }
  /** A `NanosecondTime` within 64 bits, sent as digits. */
  | { readonly kind: "nanoseconds" }
  /** A non-empty array, sent as a repeated parameter. */
  | { readonly kind: "array"; readonly items: Value }
  /** A JSON object, sent as it is. */
  | { readonly kind: "json" };

/** A member of an argument: a value, or an object for parameters with dotted names, such as `filter.partyIds`. */
export type Argument =
  | (Value & {
      /** Where it is sent, by the name of the member. Default: in the query, after the names of its objects. */
      readonly in?: "path" | "body";
      readonly required?: true;
    })
  | { readonly kind: "object"; readonly members: Arguments };

/** The members of an argument, by their names in the client. */
export interface Arguments {
  readonly [name: string]: Argument;
}
