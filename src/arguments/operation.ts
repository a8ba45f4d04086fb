/** The type of `generated/operations.ts`: what the client knows about each operation of `openapi.yaml`. */
import type { OperationTypes } from "../../generated/client.js";
import type { operations as Described, paths } from "../../generated/openapi.js";
import type { NanosecondTime } from "./values.js";

/** The name of an operation, which is the name of a method of the client. */
export type OperationId = keyof Described;

/** All operations. Each entry allows only the path, the arguments, the envelope and the record of its own operation. */
export type OperationTable = {
  readonly [Id in OperationId]: ListOperation<Id> | SingleOperation<Id>;
};

interface Operation<Id extends OperationId> {
  /** The HTTP method. */
  readonly method: MethodOf<Id>;
  /** The path of the URL. A member in braces is an argument with `in: "path"`. */
  readonly path: PathOf<Id>;
  /** The members of the argument, by their names in the client. */
  readonly arguments: ArgumentTree<Id, ArgumentsOf<Id>>;
  /** Members of the argument of which at least one is required. */
  readonly atLeastOneOf?: readonly (keyof ArgumentTree<Id, ArgumentsOf<Id>>)[];
  /** Two times, by their names in the query. The start must not be after the end. */
  readonly range?: { readonly start: QueryName<Id>; readonly end: QueryName<Id> };
  /** The request is sent once: it is not retried, and redirects are not followed. */
  readonly sentOnce?: true;
  /** What a caller can do about an error. Hints are for people; they do not decide whether a request is retried. */
  readonly hints?: {
    /** For a node that returns the same cursor twice. */
    readonly repeatedCursor?: string;
    /** For a node that responds to a cursor with the status `cursors.rejectedWith`. */
    readonly rejectedCursor?: string;
  };
}

/** An operation that returns a list in pages. */
export interface ListOperation<Id extends OperationId> extends Operation<Id> {
  readonly kind: "list";
  /** The member of the response that holds the page. */
  readonly envelope: EnvelopeOf<Id>;
  /** The number of records to request if the caller does not say. */
  readonly defaultPageSize: number;
  /** The members that identify a record. No two records of a list are equal in all of them. */
  readonly naturalKey: readonly (keyof RecordOf<Id>)[];
  /** How the cursors of v0.74 nodes fail. Absent: they are reliable. */
  readonly cursors?: {
    /** The member of the decoded cursor that holds the time of the record's block. */
    readonly timeMember?: string;
    /**
     * A member of the decoded cursor that is always `null`. Its correct value is the SHA-256, in hexadecimal, of the joined
     * text of the members `sha256Of` of the record.
     */
    readonly missingMember?: { readonly name: string; readonly sha256Of: readonly (keyof RecordOf<Id>)[] };
    /** The status of every response to a request with a cursor. A retry does not help. */
    readonly rejectedWith?: number;
  };
}

/** An operation that returns one object. */
export interface SingleOperation<Id extends OperationId> extends Operation<Id> {
  readonly kind: "single";
  /** The members that every response has. An object that lacks one of them is not a response of this operation. */
  readonly responseMembers: readonly (keyof BodyOf<Id>)[];
}

/** A value of an argument: what is accepted, and how it is sent. */
export type Value =
  /** A non-empty string of well-formed Unicode, such as an id or a cursor. */
  | { readonly kind: "string" }
  /** One of the known names. With `pattern`, any other name that matches this regular expression as well. */
  | { readonly kind: "enum"; readonly values: readonly string[]; readonly pattern?: string }
  | { readonly kind: "boolean" }
  /** A 32-bit integer within the bounds, which are inclusive. */
  | { readonly kind: "int32"; readonly minimum?: number; readonly maximum?: number }
  /** A `NanosecondTime` within 64 bits, sent as digits. */
  | { readonly kind: "nanoseconds" }
  /** Sent as a repeated parameter. Without `minItems`, an empty array is not sent; else a shorter one is rejected. */
  | { readonly kind: "array"; readonly items: Value; readonly minItems?: number }
  /** A JSON object, sent as it is. */
  | { readonly kind: "json" };

/** Where an argument is sent. */
export interface Place {
  readonly in: "query" | "path" | "body";
  /** The name of the parameter, or of the member of the body. */
  readonly name: string;
  readonly required?: true;
}

/** A member of an argument. */
export type Argument = (Value & Place) | ArgumentGroup;

/** Parameters with a dotted name: an object in the client. */
export interface ArgumentGroup {
  readonly kind: "object";
  readonly members: { readonly [name: string]: Argument };
}

type ArgumentsOf<Id extends OperationId> = OperationTypes[Id]["arguments"];
export type RecordOf<Id extends OperationId> = NonNullable<OperationTypes[Id]["record"]>;

/** The body of a response with status 200, as `generated/openapi.ts` describes it. */
export type BodyOf<Id extends OperationId> = Described[Id]["responses"][200]["content"]["application/json"];

/** The parameters of the query, by their names in the URL. */
export type QueryOf<Id extends OperationId> = NonNullable<Described[Id]["parameters"]["query"]>;
type QueryName<Id extends OperationId> = [QueryOf<Id>] extends [never] ? never : keyof QueryOf<Id> & string;

/** The path whose operation this is. */
export type PathOf<Id extends OperationId> = {
  [Path in keyof paths]: Described[Id] extends paths[Path][Verb<Path>]
    ? paths[Path][Verb<Path>] extends Described[Id]
      ? Path
      : never
    : never;
}[keyof paths];

type Verb<Path extends keyof paths> = {
  [Name in "get" | "post"]: paths[Path] extends { [Method in Name]: object } ? Name : never;
}["get" | "post"];

type MethodOf<Id extends OperationId> = Uppercase<Verb<PathOf<Id>>>;

/** The member of the response that has edges. */
type EnvelopeOf<Id extends OperationId> = {
  [Name in keyof BodyOf<Id>]: BodyOf<Id>[Name] extends { edges: unknown[] } ? Name : never;
}[keyof BodyOf<Id>];

type KeyOfUnion<Union> = Union extends unknown ? keyof Union : never;
type MemberOfUnion<Union, Name> = Union extends unknown
  ? Name extends keyof Union
    ? NonNullable<Union[Name]>
    : never
  : never;

/** A description for each member of an argument, of the kind of its type, under its own name of the request. */
type ArgumentTree<Id extends OperationId, Arguments, Prefix extends string = ""> = {
  readonly [Name in KeyOfUnion<Arguments> & string]: ArgumentFor<
    Id,
    MemberOfUnion<Arguments, Name>,
    `${Prefix}${Name}`
  >;
};

type ArgumentFor<Id extends OperationId, Type, Name extends string> =
  Name extends BodyName<Id>
    ? Kind<"json"> & PlaceFor<Id, Name>
    : [Type] extends [ValueType]
      ? ValueFor<Type> & PlaceFor<Id, Name>
      : { readonly kind: "object"; readonly members: ArgumentTree<Id, Type, `${Name}.`> };

type Kind<Name extends Value["kind"]> = Extract<Value, { kind: Name }>;
type ValueType = boolean | number | string | NanosecondTime | readonly unknown[];

type ValueFor<Type> = [Type] extends [boolean]
  ? Kind<"boolean">
  : [Type] extends [number]
    ? Kind<"int32">
    : [Type] extends [readonly (infer Item)[]]
      ? Kind<"array"> & { readonly items: ValueFor<Item> }
      : [NanosecondTime] extends [Type]
        ? Kind<"nanoseconds">
        : [string] extends [Type]
          ? Kind<"string">
          : Kind<"enum">;

type BodyName<Id extends OperationId> = Described[Id] extends {
  requestBody: { content: { "application/json": infer Body } };
}
  ? keyof Body & string
  : never;

type PlaceFor<Id extends OperationId, Name extends string> = {
  readonly name: Name;
  readonly in: Name extends BodyName<Id>
    ? "body"
    : Name extends QueryName<Id>
      ? "query"
      : Name extends keyof Described[Id]["parameters"]["path"]
        ? "path"
        : never;
  readonly required?: true;
};
