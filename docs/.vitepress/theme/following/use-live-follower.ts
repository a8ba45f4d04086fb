import { computed, onUnmounted, ref, shallowRef } from "vue";
import { toDate } from "../../../../src/index.js";
import type { Chain } from "./chain.js";

/** A block of the chain, as the page shows it. */
interface LiveBlock {
  height: number;
  time: bigint;
  /** How many records it has; `undefined` while it is the current one. */
  records?: number;
}

/** A record that the program has stored. */
interface StoredRecord {
  time: string;
  balance: string;
  accountType: string;
}

/** How many blocks and records are shown. */
const shown = { blocks: 10, records: 5 };

/** A program that follows a chain, can be killed at any time, and continues from the position that it has stored. */
export function useLiveFollower() {
  let chain: Chain | undefined;
  const blocks = shallowRef<readonly LiveBlock[]>([]);
  const begin = shallowRef(0n);
  const position = shallowRef<bigint>();
  const count = ref(0);
  const expected = ref(0);
  const latest = shallowRef<readonly StoredRecord[]>([]);
  const controller = shallowRef<AbortController>();

  /** Shows that a block has ended, and that the next one has begun. */
  function addBlock({ height, time, count: countOf }: Chain): void {
    const ended = blocks.value.map((block) => ({ ...block, records: block.records ?? countOf(block.time, time) }));
    blocks.value = [...ended, { height, time }].slice(-shown.blocks);
  }

  async function start(): Promise<void> {
    const current = new AbortController();
    controller.value = current;
    const { startChain } = await import("./chain.js");
    if (chain === undefined) {
      const started: Chain = startChain(() => addBlock(started));
      chain = started;
      begin.value = started.time;
      addBlock(started);
    }
    try {
      for await (const { records, upTo } of chain.follow(position.value ?? begin.value, current.signal)) {
        // What a program does in one transaction.
        count.value += records.length;
        position.value = upTo;
        expected.value = chain.count(begin.value, upTo);
        const stored = records.map(({ timestamp, balance, accountType }) => ({
          time: toDate(timestamp).toISOString().slice(11, -1),
          balance,
          accountType: `${accountType}`,
        }));
        latest.value = [...latest.value, ...stored].slice(-shown.records);
      }
    } catch (error) {
      if (!current.signal.aborted) throw error;
    }
  }

  function kill(): void {
    controller.value?.abort();
    controller.value = undefined;
  }

  onUnmounted(() => {
    kill();
    chain?.pause();
  });

  return {
    isRunning: computed(() => controller.value !== undefined),
    hasStarted: computed(() => blocks.value.length > 0),
    blocks,
    isStored: ({ time }: LiveBlock) => position.value !== undefined && time >= begin.value && time < position.value,
    position,
    count,
    expected,
    latest,
    start,
    kill,
  };
}
