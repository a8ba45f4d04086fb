/** The exact type of `generated/operations.ts`, from the types that openapi-typescript generates from the same description. */
import type { OperationTypes } from "../../generated/client.js";
import type { operations as Described, paths } from "../../generated/openapi.js";
import type {
  Arguments,
  ListOperation,
  Operation,
  OperationId,
  RecordOf,
  SingleOperation,
  Value,
} from "../../src/arguments/operation.js";
import type { NanosecondTime } from "../../src/index.js";

/** All operations. Each entry allows only the path, the arguments, the envelope and the record of its own operation. */
export type ExactTable = {
  readonly [Id in OperationId]: Exact<Id> &
    (
      | (ListOperation<RecordOf<Id>> & { readonly envelope: EnvelopeOf<Id> })
      | (SingleOperation & { readonly responseMembers: readonly (keyof BodyOf<Id>)[] })
    );
};

interface Exact<Id extends OperationId> extends Operation {
  readonly method: MethodOf<Id>;
  readonly path: PathOf<Id>;
  readonly arguments: ArgumentTree<Id, ArgumentsOf<Id>> & Arguments;
  readonly atLeastOneOf?: readonly (keyof ArgumentTree<Id, ArgumentsOf<Id>> & string)[];
  readonly range?: { readonly start: QueryName<Id>; readonly end: QueryName<Id> };
}

type ArgumentsOf<Id extends OperationId> = OperationTypes[Id]["arguments"];

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
          ? Kind<"string" | "cursor">
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
