import { expect, test } from "vitest";
import { nextRequest, type QueueLoad, type Segment } from "../../../src/scan/scheduler.js";

/** A segment of `length` microseconds that waits for its next page, with a record in each. */
const segment = (length: number, other: Partial<Segment> = {}) =>
  ({ unread: { start: 0n, end: BigInt(length) }, batches: [], isBusy: false, density: 1, ...other }) as Segment;
const failed = segment(9, { failure: { unread: { start: 0n, end: 9n }, error: 1 } });
const buffered = (count: number) => ({ batches: [Array(count)] });
const busy = (length: number, density?: number) => segment(length, { isBusy: true, density });

/** Pages of ten records, of which nine were full; four requests may be sent, and a thousand records be read ahead. */
const usual: QueueLoad = { concurrency: 4, limit: 1000, pageSize: 10, fullPages: 9, splits: 0 };

type Expected = [index: number, length?: bigint] | undefined;
test.each<[what: string, segments: Segment[], load: Partial<QueueLoad>, expected: Expected]>([
  ["nothing without a segment", [], {}, undefined],
  ["nothing for a segment that was read", [segment(0)], {}, undefined],
  ["nothing for one that cannot be read", [failed], {}, undefined],
  ["nothing while all are read", [busy(5000, 1)], {}, undefined],
  ["the segment behind one that is read", [busy(100, 1), segment(20)], {}, [1]],
  ["the segment behind a failed one", [failed, segment(20)], {}, [1]],
  ["nothing while as much as is needed is buffered", [segment(100, buffered(1000))], {}, undefined],
  ["another page if one record less is buffered", [segment(100, buffered(999))], {}, [0]],
  ["nothing while as much as is needed is being read", [busy(1000, 1), segment(20)], {}, undefined],
  ["another page if one record less is being read", [busy(999, 1), segment(20)], {}, [1]],
  ["at least a page of what is being read", [busy(5000), segment(20)], { limit: 10 }, undefined],
  ["no more than a page, if its density is unknown", [busy(5000), segment(20)], { limit: 11 }, [1]],
  ["no split before a page was full", [segment(1000)], { fullPages: 0 }, [0]],
  ["as many parts as requests may be sent", [segment(1000)], {}, [0, 250n]],
  ["longer parts of fewer records", [segment(4000, { density: 0.5 })], {}, [0, 500n]],
  ["whole pages", [segment(950)], {}, [0, 240n]],
  ["nothing while as many requests as may be are in flight", [busy(10, 1), segment(20)], { concurrency: 1 }, undefined],
  ["no split without a request for it", [segment(1000)], { concurrency: 1 }, [0]],
  ["no split while another segment waits for the request", [segment(20), segment(980)], { concurrency: 2 }, [0]],
  ["a split of the one with the most that is needed", [segment(20), segment(900), segment(80)], {}, [1, 450n]],
  ["a split of the first one of two that are equal", [segment(500), segment(500)], {}, [0, 170n]],
  ["only what is needed of a long one", [segment(600), segment(5000)], {}, [0, 200n]],
  ["two pages at least", [segment(60)], {}, [0, 20n]],
  ["a split of four pages", [segment(40)], {}, [0, 20n]],
  ["no split of less than four pages", [segment(39)], {}, [0]],
  ["no split of a microsecond", [segment(1, { density: 1000 })], {}, [0]],
  ["a microsecond at least", [segment(2, { density: 500 })], {}, [0, 1n]],
  ["no more splits than full pages", [segment(1000)], { splits: 9 }, [0]],
  ["as many splits as full pages", [segment(1000)], { splits: 8 }, [0, 250n]],
  ["no more splits than a third of the pages", [segment(60)], { splits: 5 }, [0]],
  ["splits for a third of the pages", [segment(60)], { splits: 4 }, [0, 20n]],
  ["no splits for pages that are not needed", [segment(5000)], { limit: 60, splits: 5 }, [0]],
])("a scan requests %s", (_, segments, load, expected) => {
  const { segment, length } = nextRequest(segments, { ...usual, ...load }) ?? {};
  const index = segment && segments.indexOf(segment);
  expect(index === undefined ? undefined : length === undefined ? [index] : [index, length]).toEqual(expected);
});
