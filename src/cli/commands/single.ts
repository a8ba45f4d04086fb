import { operationTexts } from "../../../generated/command-line.js";
import { operations } from "../../../generated/operations.js";
import type { OperationId } from "../../arguments/operation.js";
import type { CallOptions } from "../../http/call-options.js";
import { argumentFlags, readArguments } from "../argument-flags.js";
import type { CommandContext } from "../command.js";
import { connect } from "../connection.js";
import { exitCodes } from "../exit.js";
import { printObject } from "../output/object.js";

/** Prints the response of an operation that returns one object. */
export async function single(id: OperationId, context: CommandContext): Promise<number> {
  const { io, values } = context;
  const operation = operations[id];
  const argument = readArguments(argumentFlags(operation, operationTexts[id]), operation, values);
  const { client } = await connect(context);
  const method = client[id] as (argument: object, options: CallOptions) => PromiseLike<object>;
  await printObject(await method(argument, { signal: io.signal }), context);
  return exitCodes.done;
}
