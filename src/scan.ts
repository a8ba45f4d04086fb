import { refuse, show } from "./arguments/refuse.js";
import { PaginationError, ResponseError, VegaError } from "./errors/index.js";
import { type Batch, ItemIterator, ignore } from "./iterator.js";

/** Options of a scan. */
export interface ScanWalkOptions {
  /**
   * In which order of time the records come.
   *
   * @default "oldest-first"
   */
  order?: "oldest-first" | "newest-first" | undefined;
  /** How many records to hand out at the most; all, unless given. */
  maxItems?: number | undefined;
  /**
   * How many requests may be under way at once.
   *
   * @default 4
   */
  concurrency?: number | undefined;
  /**
   * How many records to ask for at once.
   *
   * @default 5000
   */
  pageSize?: number | undefined;
  /** Ends the scan and every request under way: whoever waits for a record gets the signal's reason. */
  signal?: AbortSignal | undefined;
}

/**
 * All records in a range of time, read without cursors. Nothing is sent before it is used, and every loop is a scan of its
 * own.
 *
 * What a scan promises: every record that is stored in the range, once and in order of time, also on nodes that lose rows
 * between pages. What is read ahead is bounded, however slow the caller is. A {@link VegaError} that ends a scan carries
 * `resume`, the `dateRange` to go on with: everything before it was handed out, and nothing of it.
 */
export interface Scan<T> extends AsyncIterable<T> {
  /** Every record in order of time. Called again before the last one came, `next()` waits its turn. */
  [Symbol.asyncIterator](): AsyncGenerator<T, undefined, undefined>;
  /** Every record in an array. `maxItems` bounds it. */
  toArray(): Promise<T[]>;
}

/** One request of a scan: what lies between two times, the start counted in and the end not, from one side. */
export interface RangeRequest {
  start: bigint | undefined;
  end: bigint | undefined;
  size: number;
  newestFirst: boolean;
}

/** The records of one answer, and whether there are more in the range. */
export interface RangePage<T> {
  records: readonly T[];
  hasMore: boolean;
  response: Response;
}

/** A part of what is asked for, with lists that are short enough for one request. */
export interface Part<T> {
  fetch(request: RangeRequest, signal: AbortSignal): Promise<RangePage<T>>;
  /** The same in two parts; nothing where it cannot be parted. */
  split(): Part<T>[];
}

/** What a scan goes over. It is opened when the scan is used: what is wrong with its arguments is a rejection then. */
export interface ScanSource<T> {
  operation: string;
  open(): {
    /** Unix nanoseconds; where it is missing, the first record is found. */
    start: bigint | undefined;
    end: bigint | undefined;
    parts: Part<T>[];
  };
  timeOf(record: T): string;
}

/** A range of time, read without cursors. */
export function scan<T>(source: ScanSource<T>, options: ScanWalkOptions = {}): Scan<T> {
  const records = () => new ScanIterator(source, options);
  return {
    [Symbol.asyncIterator]: records,
    toArray: () => records().drain(),
  };
}

/**
 * Where a record stands on the way of a scan, in nanoseconds: its time, or what is left until the end of time for a scan
 * that begins with the newest. So whatever the order, a scan goes from smaller positions to larger ones.
 */
type Position = bigint;

/** The direction of a scan, and what it needs to know in it. */
class Course<T> {
  readonly operation: string;
  readonly pageSize: number;
  readonly newestFirst: boolean;
  readonly #timeOf: (record: T) => string;

  constructor({ operation, timeOf }: ScanSource<T>, newestFirst: boolean, pageSize: number) {
    this.operation = operation;
    this.pageSize = pageSize;
    this.newestFirst = newestFirst;
    this.#timeOf = timeOf;
  }

  /** The times of a range of positions, and back: turned around, the end that counts in becomes the one that does not. */
  turn(from: bigint | undefined, to: bigint | undefined): [from: bigint | undefined, to: bigint | undefined] {
    if (!this.newestFirst) return [from, to];
    return [to === undefined ? undefined : 1n - to, from === undefined ? undefined : 1n - from];
  }

  position(record: T, response: Response): Position {
    const time = this.#timeOf(record);
    if (typeof time !== "string" || !/^-?\d+$/.test(time)) {
      throw this.wrong(`a record with the timestamp ${show(time)}`, response, record);
    }
    return this.newestFirst ? -BigInt(time) : BigInt(time);
  }

  /**
   * The request for a range of positions. It begins one nanosecond early, so that it does not matter whether the node
   * counts the start in. v0.74 nodes do not count the end in; a record there is not kept.
   *
   * @param tight - Whether to leave out what lies just ahead of the range: it came, so the node counts that end in.
   */
  request(from: Position | undefined, to: Position | undefined, size: number, tight: boolean): RangeRequest {
    const [start, end] = this.turn(from, to);
    const { newestFirst } = this;
    const lessOne = (time: bigint | undefined, yes: boolean) => (time !== undefined && yes ? time - 1n : time);
    return { start: lessOne(start, newestFirst || !tight), end: lessOne(end, newestFirst && tight), size, newestFirst };
  }

  timeAt(position: Position): bigint {
    return this.newestFirst ? -position : position;
  }

  wrong(what: string, response: Response, body: unknown): ResponseError {
    return new ResponseError(`${this.operation} got ${what} from ${response.url}`, {
      operation: this.operation,
      attempts: 1,
      response,
      body,
    });
  }
}

/** A stretch of the way that is read from its start to its end, one page after the other. */
interface Stretch<T> {
  /** Everything ahead of it was read. */
  from: Position;
  to: Position;
  /** What was read and not yet handed out. */
  batches: Positioned<T>[][];
  buffered: number;
  /** Whether a request for it is under way. */
  busy: boolean;
  /** Records in a nanosecond, as far as is known. */
  density: number | undefined;
  /** Whether a page as small as the caller needs did not lead on. */
  stuck: boolean;
  failure: { error: unknown } | undefined;
}

interface Positioned<T> {
  position: Position;
  record: T;
}

/** Where a part of a scan could not go on. */
interface Failure {
  position: Position | undefined;
  error: unknown;
}

/** The requests under way of all parts of a scan together: no more than so many, and none beyond an abort. */
class Slots {
  readonly #count: number;
  #free: number;
  readonly #signal: AbortSignal | undefined;
  readonly #stop: () => void;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number, signal: AbortSignal | undefined, stop: () => void) {
    this.#count = count;
    this.#free = count;
    this.#signal = signal;
    this.#stop = stop;
  }

  async run<T>(request: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    // Only while it is under way: a scan that is left lying leaves no listener on a signal that lives on.
    this.#signal?.addEventListener("abort", this.#stop);
    try {
      return await request();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
      if (this.#free === this.#count) this.end();
    }
  }

  /** Nobody waits for what is under way any more. */
  end(): void {
    this.#signal?.removeEventListener("abort", this.#stop);
  }
}

/** Pages for each request at once that are read before the caller wants them, at the most. */
const pagesAhead = 12;

/** A scan of one part: stretches that are read at once and handed out one after the other. */
class PartScan<T> {
  readonly #part: Part<T>;
  readonly #course: Course<T>;
  readonly #slots: Slots;
  readonly #signal: AbortSignal;
  readonly #concurrency: number;
  #left: number;
  #stretches: Stretch<T>[] = [];
  #started: Promise<void> | undefined;
  #end: Position | undefined;
  #busy = 0;
  #splits = 0;
  #fullPages = 0;
  /** Whether the node counts the start of a range in, once that was seen. */
  #countsStartIn: boolean | undefined;
  #pages = 0;
  #pageRows: number;
  #wake = ignore;

  constructor(
    part: Part<T>,
    course: Course<T>,
    {
      slots,
      signal,
      concurrency,
      maxItems,
    }: { slots: Slots; signal: AbortSignal; concurrency: number; maxItems: number },
  ) {
    this.#part = part;
    this.#course = course;
    this.#slots = slots;
    this.#signal = signal;
    this.#concurrency = concurrency;
    this.#left = maxItems;
    this.#pageRows = course.pageSize;
  }

  /** Where it ends, once that is known. */
  get end(): Position | undefined {
    return this.#end;
  }

  get pagesRead(): number {
    return this.#pages;
  }

  /** The next records in their order; a failure once all ahead of it were handed out; `undefined` at the end. */
  async next(from: Position | undefined, to: Position | undefined): Promise<Positioned<T>[] | Failure | undefined> {
    this.#started ??= this.#start(from, to);
    try {
      await this.#started;
    } catch (error) {
      return { position: from, error };
    }
    for (;;) {
      const [head] = this.#stretches;
      if (head === undefined || this.#left <= 0) return undefined;
      const batch = head.batches.shift();
      if (batch) {
        head.buffered -= batch.length;
        this.#left -= batch.length;
        this.#pump();
        return batch;
      }
      if (head.failure) return { position: head.from, error: head.failure.error };
      if (head.from >= head.to) {
        this.#stretches.shift();
        continue;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        this.#pump();
      });
    }
  }

  /** An end that the caller left open is found by the record next to it, and then stays. */
  async #start(from: Position | undefined, to: Position | undefined): Promise<void> {
    if (from !== undefined && to !== undefined) {
      this.#end = to;
      this.#stretches = [newStretch(from, to)];
      return;
    }
    const size = Math.min(this.#course.pageSize, this.#left);
    const page = await this.#page(this.#part, from, to, size);
    const [first] = page.rows;
    if (first === undefined) return;
    const isEnough = !page.hasMore || page.rows.length >= this.#left;
    this.#end = to ?? (isEnough ? page.last : await this.#farthest(from)) + 1n;
    const stretch = newStretch<T>(from ?? first.position, this.#end);
    this.#stretches = [stretch];
    await this.#take(stretch, stretch.from, page, size).catch((error: unknown) => {
      stretch.failure = { error };
    });
  }

  async #farthest(from: Position | undefined): Promise<Position> {
    const course = this.#course;
    const request = { ...course.request(from, undefined, 1, false), newestFirst: !course.newestFirst };
    const page = await this.#fetch(this.#part, request);
    const [record] = page.records;
    if (record === undefined) throw course.wrong("no record at one end of a range that has some", page.response, []);
    return course.position(record, page.response);
  }

  #fetch(part: Part<T>, request: RangeRequest): Promise<RangePage<T>> {
    return this.#slots.run(() => {
      this.#signal.throwIfAborted();
      return part.fetch(request, this.#signal);
    });
  }

  /** Lets requests leave for as long as one is free and something is worth it. */
  #pump(): void {
    while (this.#busy < this.#concurrency) {
      const stretch = this.#choose();
      if (stretch === undefined) return;
      stretch.busy = true;
      this.#busy++;
      this.#read(stretch)
        .catch((error: unknown) => {
          stretch.failure = { error };
        })
        .finally(() => {
          stretch.busy = false;
          this.#busy--;
          this.#pump();
          this.#wake();
        });
    }
  }

  /** The stretch to read next: one that nobody reads, else the second half of the one with the most unread records. */
  #choose(): Stretch<T> | undefined {
    const limit = Math.min(this.#left, pagesAhead * this.#concurrency * this.#pageRows);
    if (limit <= 0) return undefined;
    let ahead = 0;
    let largest: { stretch: Stretch<T>; needed: number; unread: number } | undefined;
    for (const stretch of this.#stretches) {
      const { from, to, busy, density, buffered, failure } = stretch;
      ahead += buffered;
      if (failure || from >= to) continue;
      if (!busy && ahead < limit) return stretch;
      if (busy) ahead += this.#pageRows;
      const unread = Math.max(0, (density ?? 0) * Number(to - from) - (busy ? this.#pageRows : 0));
      const needed = Math.max(0, Math.min(unread, limit - ahead));
      if (busy && to - from > 1n && needed > (largest?.needed ?? 0)) largest = { stretch, needed, unread };
      ahead += unread;
    }
    // A split costs a request more, for a page that is not full: one in four is what full pages pay for.
    const affordable = Math.max(Math.min(1, this.#fullPages), Math.floor(this.#fullPages / 4));
    if (largest === undefined || largest.needed < 2 * this.#pageRows || this.#splits >= affordable) return undefined;
    this.#splits++;
    return this.#split(largest.stretch, largest.unread, largest.needed);
  }

  #split(stretch: Stretch<T>, unread: number, needed: number): Stretch<T> {
    const { from, to, density } = stretch;
    const underWay = this.#pageRows / (density ?? 1);
    const share = needed / 2 / unread;
    const middle = Math.floor(underWay + (Number(to - from) - underWay) * share);
    // What is under way may be for the first nanosecond alone.
    const second = { ...newStretch<T>(from + BigInt(Math.max(1, middle)), to), density };
    stretch.to = second.from;
    this.#stretches.splice(this.#stretches.indexOf(stretch) + 1, 0, second);
    return second;
  }

  /** Reads one page of a stretch. */
  async #read(stretch: Stretch<T>): Promise<void> {
    const { from } = stretch;
    const { pageSize } = this.#course;
    const isHead = stretch === this.#stretches[0] && stretch.buffered === 0;
    const size = isHead && !stretch.stuck ? Math.min(pageSize, this.#left) : pageSize;
    await this.#take(stretch, from, await this.#page(this.#part, from, stretch.to, size), size);
  }

  /** Takes from a page what belongs to a stretch, which may have been cut short meanwhile. */
  async #take(stretch: Stretch<T>, from: Position, { rows, hasMore, last }: Page<T>, size: number): Promise<void> {
    const kept = rows.filter(({ position }) => position >= from && position < stretch.to);
    if (kept.length >= this.#left) return this.#store(stretch, kept.slice(0, this.#left), stretch.to);
    if (!hasMore || last >= stretch.to) return this.#store(stretch, kept, stretch.to);
    this.#fullPages++;
    this.#pageRows = this.#fullPages === 1 ? rows.length : Math.max(rows.length, this.#pageRows);
    if (last > from) {
      // More records of the last time can be on the next page.
      return this.#store(
        stretch,
        kept.filter(({ position }) => position < last),
        last,
      );
    }
    if (size < this.#course.pageSize) {
      stretch.stuck = true;
      return;
    }
    this.#store(stretch, await this.#dense(this.#part, from), from + 1n);
  }

  #store(stretch: Stretch<T>, rows: Positioned<T>[], from: Position): void {
    if (rows.length > 0) stretch.batches.push(rows);
    stretch.buffered += rows.length;
    const length = Number(from - stretch.from);
    if (rows.length > 0 && length > 0) stretch.density = rows.length / length;
    stretch.from = from;
  }

  /** All records at one position, of which there are more than a page took. It is asked for as tightly as the node allows. */
  async #dense(part: Part<T>, position: Position): Promise<Positioned<T>[]> {
    const time = this.#course.timeAt(position);
    const { pageSize, newestFirst } = this.#course;
    const starts = this.#countsStartIn === undefined ? [time, time - 1n] : [this.#countsStartIn ? time : time - 1n];
    for (const start of starts) {
      for (const end of [time + 1n, time]) {
        const request = { start, end, size: pageSize, newestFirst };
        const { rows, hasMore, last } = await this.#ask(part, request, position, position + 1n);
        const here = rows.filter((row) => row.position === position);
        if (here.length > 0) this.#countsStartIn ??= start === time;
        const isAnswered = here.length > 0 || (this.#countsStartIn === (start === time) && end > time);
        if (isAnswered && (!hasMore || last > position)) return here;
        if (here.length === 0 && !hasMore) break;
      }
      if (this.#countsStartIn === (start === time)) break;
    }
    const halves = part.split();
    if (halves.length === 0) {
      throw new PaginationError(
        `${this.#course.operation} found more than ${pageSize} records at the nanosecond ${time}: no page holds them, and no list ` +
          "of the filter is left to ask for in parts. Name types of account, parties or markets in it, or go on behind that time.",
        { operation: this.#course.operation, reason: "too-dense", timestamp: `${time}` },
      );
    }
    return (await Promise.all(halves.map((half) => this.#dense(half, position)))).flat();
  }

  /** One page of a range. Where records just ahead of it took all its room, it is asked for without them. */
  async #page(part: Part<T>, from: Position | undefined, to: Position | undefined, size: number): Promise<Page<T>> {
    const page = await this.#ask(part, this.#course.request(from, to, size, false), from, to);
    if (from === undefined) return page;
    const isCrowdedOut = page.hasMore && page.last <= from && page.rows[0]?.position === from - 1n;
    return isCrowdedOut ? this.#ask(part, this.#course.request(from, to, size, true), from, to) : page;
  }

  /** One answer, found to be in order and within the range. */
  async #ask(part: Part<T>, request: RangeRequest, from: Position | undefined, to: Position | undefined) {
    const { records, hasMore, response } = await this.#fetch(part, request);
    this.#pages++;
    const rows = records.map((record) => ({ position: this.#course.position(record, response), record }));
    const [first] = rows;
    if (first === undefined) {
      if (hasMore) throw this.#course.wrong("an empty page that says there is more", response, records);
      return { rows, hasMore, last: 0n };
    }
    let last = first.position;
    for (const { position } of rows) {
      if (position < last) throw this.#course.wrong("records out of order", response, records);
      last = position;
    }
    const isInside = (from === undefined || first.position >= from - 1n) && (to === undefined || last <= to);
    if (!isInside) throw this.#course.wrong("records outside of the range", response, records);
    return { rows, hasMore, last };
  }
}

/** An answer as it stands on the way. */
interface Page<T> {
  rows: Positioned<T>[];
  hasMore: boolean;
  /** Where its last record stands. */
  last: Position;
}

function newStretch<T>(from: Position, to: Position): Stretch<T> {
  return {
    from,
    to,
    batches: [],
    buffered: 0,
    busy: false,
    density: undefined,
    stuck: false,
    failure: undefined,
  };
}

/** The records of all parts, in one order. */
class ScanIterator<T> extends ItemIterator<T, T> {
  readonly #source: ScanSource<T>;
  readonly #options: ScanWalkOptions;
  readonly #controller = new AbortController();
  #opened: Opened<T> | undefined;
  #itemsRead = 0;
  #giveUp: (reason: unknown) => void = ignore;

  constructor(source: ScanSource<T>, options: ScanWalkOptions) {
    super(options, (record) => record);
    this.#source = source;
    this.#options = options;
  }

  protected override async more(): Promise<Batch<T> | undefined> {
    this.#opened ??= this.#open();
    try {
      return await new Promise<Batch<T> | undefined>((resolve, reject) => {
        this.#giveUp = reject;
        this.#merge(this.#opened as Opened<T>).then(resolve, reject);
      });
    } catch (error) {
      this.#stop(error);
      throw error;
    }
  }

  protected override stop(): void {
    super.stop();
    this.#stop();
  }

  #stop(reason?: unknown): void {
    this.#opened?.slots.end();
    this.#controller.abort(reason);
    this.#giveUp(this.#controller.signal.reason);
  }

  #open(): Opened<T> {
    const { order = "oldest-first", maxItems, concurrency = 4, pageSize = 5000, signal } = this.#options;
    this.#checkOptions();
    const { start, end, parts } = this.#source.open();
    const course = new Course(this.#source, order === "newest-first", pageSize);
    const [from, to] = course.turn(start, end);
    const slots = new Slots(concurrency, signal, () => this.#stop(signal?.reason));
    const each = {
      slots,
      signal: this.#controller.signal,
      concurrency: Math.max(1, Math.floor(concurrency / parts.length)),
      maxItems: maxItems ?? Number.POSITIVE_INFINITY,
    };
    if (signal?.aborted) throw signal.reason;
    return {
      slots,
      course,
      from,
      to,
      heads: parts.map((part) => ({ scan: new PartScan(part, course, each), rows: [], index: 0 })),
    };
  }

  /** As many records as come from one part before those of another. */
  async #merge({ slots, course, from, to, heads }: Opened<T>): Promise<Batch<T> | undefined> {
    await Promise.all(
      heads.map(async (head) => {
        if (head.rows === undefined || head.failure || head.index < head.rows.length) return;
        const next = await head.scan.next(from, to);
        head.failure = next && "error" in next ? next : undefined;
        head.rows = next && "error" in next ? [] : next;
        head.index = 0;
      }),
    );
    const waiting = heads.filter((head) => head.rows !== undefined);
    const [first, second] = waiting.sort((a, b) => compare(placeOf(a), placeOf(b)) || (a.failure ? -1 : 1));
    if (first === undefined) {
      // Where `maxItems` is the end, more can be under way.
      slots.end();
      this.#controller.abort();
      return undefined;
    }
    if (first.failure) {
      const ends = heads.map(({ scan }) => scan.end);
      const last = to ?? (ends.every((end) => end !== undefined) ? ends.reduce((a, b) => (a > b ? a : b)) : undefined);
      throw this.#resumable(first.failure, course, last, heads);
    }
    const bound = second && placeOf(second);
    const rows = first.rows ?? [];
    const records: T[] = [];
    for (; first.index < rows.length; first.index++) {
      const row = rows[first.index] as Positioned<T>;
      const order = second ? compare(row.position, bound) : -1;
      if (order > 0 || (order === 0 && second?.failure)) break;
      records.push(row.record);
    }
    this.#itemsRead += records.length;
    return { items: records };
  }

  /** Says where to go on, once the caller has what was read so far. */
  #resumable({ position, error }: Failure, course: Course<T>, to: Position | undefined, heads: Head<T>[]): unknown {
    if (!VegaError.is(error)) return error;
    const [start, end] = course.turn(position, to);
    const resume = {
      ...(start !== undefined && { startTimestamp: String(start) }),
      ...(end !== undefined && { endTimestamp: String(end) }),
    };
    const pagesRead = heads.reduce((sum, { scan }) => sum + scan.pagesRead, 0);
    return Object.assign(error, { resume, pagesRead, itemsRead: this.#itemsRead });
  }

  #checkOptions(): void {
    const { operation } = this.#source;
    const { order, signal, ...sizes } = this.#options;
    if (order !== undefined && order !== "oldest-first" && order !== "newest-first") {
      refuse({ operation, argument: "order" }, '"oldest-first" or "newest-first"', order);
    }
    for (const argument of ["maxItems", "concurrency", "pageSize"] as const) {
      const value = sizes[argument];
      if (value !== undefined && !(Number.isSafeInteger(value) && value > 0)) {
        refuse({ operation, argument }, "a positive integer", value);
      }
    }
    if (signal !== undefined && typeof signal?.aborted !== "boolean") {
      refuse({ operation, argument: "signal" }, "an AbortSignal", signal);
    }
  }
}

interface Head<T> {
  scan: PartScan<T>;
  /** What it has at hand; `undefined` at its end. */
  rows: Positioned<T>[] | undefined;
  index: number;
  failure?: Failure | undefined;
}

interface Opened<T> {
  slots: Slots;
  course: Course<T>;
  from: Position | undefined;
  to: Position | undefined;
  heads: Head<T>[];
}

/** A failure that is not tied to a place comes before everything. */
const placeOf = <T>({ failure, rows, index }: Head<T>): Position | undefined =>
  failure ? failure.position : rows?.[index]?.position;

function compare(a: Position | undefined, b: Position | undefined): number {
  if (a === b) return 0;
  if (a === undefined) return -1;
  return b === undefined || a > b ? 1 : -1;
}
