import type { Clock } from "../async/clock.js";
import { ApiError } from "../errors/index.js";
import { readBlock } from "../http/block.js";
import { lackOf, NotShown } from "../http/demand.js";
import type { Requester } from "../http/requester.js";
import type { Connection, RouteOf } from "./connection.js";
import type { NodeHistory } from "./node-history.js";
import { askOldest } from "./oldest-record.js";

export interface OneNodeOptions {
  routeOf: RouteOf;
  clock: Clock;
  history: NodeHistory;
}

/** Connects a client to one address, which can balance over several nodes: each response speaks for the one that gave it. */
export function oneNode(requester: Requester, { routeOf, clock, history }: OneNodeOptions): Connection {
  let namesBlocks = false;
  return {
    clock,
    nodeCount: 1,
    async send(route, params, call) {
      const reply = await requester.send(route, params, call).catch((error: unknown) => {
        namesBlocks ||= ApiError.is(error) && readBlock(error) !== undefined;
        throw error;
      });
      namesBlocks ||= reply.block !== undefined;
      const { demand } = call;
      if (demand === undefined) return reply;
      const lack = lackOf(demand, reply, namesBlocks);
      if (lack) throw new NotShown(lack, { shown: reply });
      const ask = askOldest((query, read) =>
        requester.send(
          { ...routeOf("listBalanceChanges"), operation: route.operation, read },
          { query, path: {}, body: {} },
          { ...call, demand: undefined },
        ),
      );
      await history.check(demand, reply, ask);
      return reply;
    },
  };
}
