/** A place in a queue. */
export interface Entry<T> {
  readonly value: T;
  previous: Entry<T> | undefined;
  next: Entry<T> | undefined;
  isQueued: boolean;
}

/** First in, first out. Adding and removing take the same time at any length and any place. */
export class Queue<T> {
  #first: Entry<T> | undefined;
  #last: Entry<T> | undefined;
  #size = 0;

  get first(): Entry<T> | undefined {
    return this.#first;
  }

  get size(): number {
    return this.#size;
  }

  add(value: T): Entry<T> {
    const entry: Entry<T> = { value, previous: this.#last, next: undefined, isQueued: true };
    if (this.#last) this.#last.next = entry;
    else this.#first = entry;
    this.#last = entry;
    this.#size++;
    return entry;
  }

  remove(entry: Entry<T>): void {
    if (!entry.isQueued) return;
    const { previous, next } = entry;
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    entry.isQueued = false;
    this.#size--;
  }
}
