import type { InfiniteQueryOptions, PageData } from "../../src/query/index.js";

/** The pages of an infinite list, fetched as query libraries do: each begins where the one before it says. */
export class InfiniteList<T> {
  readonly #options: InfiniteQueryOptions<T>;
  pages: PageData<T>[] = [];
  #pageParams: InfiniteQueryOptions<T>["initialPageParam"][] = [];

  constructor(options: InfiniteQueryOptions<T>) {
    this.#options = options;
  }

  /** The records that an application shows. */
  get records(): T[] {
    return this.#options
      .select({ pages: this.pages, pageParams: this.#pageParams })
      .pages.flatMap(({ nodes }) => nodes);
  }

  /** Fetches the next page. Resolves to `false` at the end of the list. */
  async fetchNextPage(): Promise<boolean> {
    const last = this.pages.at(-1);
    const pageParam = last ? this.#options.getNextPageParam(last) : this.#options.initialPageParam;
    if (pageParam === undefined) return false;
    // Query libraries keep data and places as JSON between two requests.
    const page = await this.#options.queryFn({ pageParam: JSON.parse(JSON.stringify(pageParam)) });
    this.pages.push(JSON.parse(JSON.stringify(page)));
    this.#pageParams.push(pageParam);
    return true;
  }

  /** Fetches pages to the end of the list. */
  async fetchAll(): Promise<void> {
    while (await this.fetchNextPage());
  }

  /** Fetches all pages that it has again, in order. */
  async refetch(): Promise<void> {
    const { length } = this.pages;
    this.pages = [];
    this.#pageParams = [];
    while (this.pages.length < length && (await this.fetchNextPage()));
  }
}
