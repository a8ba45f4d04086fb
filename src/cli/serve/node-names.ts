import type { ObserverEvent } from "../../http/events.js";

/** The names of nodes in logs, metrics and errors: their hosts. The paths of addresses can contain keys. */
export class NodeNames {
  readonly #names: ReadonlyMap<string, string>;

  /** @param urls - The addresses of the nodes. */
  constructor(urls: readonly string[]) {
    const hosts = urls.map((url) => (URL.canParse(url) ? new URL(url).host : url));
    // Several nodes behind one host have numbers.
    const names = hosts.map((host, index) =>
      hosts.indexOf(host) === hosts.lastIndexOf(host) ? host : `${host}#${index + 1}`,
    );
    this.#names = new Map(
      urls.map((url, index) => [url.replace(/\/+$/, "").replace(/\/api\/v2$/, ""), names[index] ?? ""]),
    );
  }

  of(url: string): string {
    return this.#names.get(url) ?? (URL.canParse(url) ? new URL(url).host : "");
  }

  /** Replaces the addresses of nodes in a text, and leaves out the parameters of requests. */
  readonly hide = (text: string): string => {
    let hidden = text;
    // Longer ones first: an address can begin with another one.
    for (const [url, name] of [...this.#names].sort(([a], [b]) => b.length - a.length)) {
      hidden = hidden
        .split(url)
        .map((part, index) => (index === 0 ? part : name + part.replace(/^([^\s?)]*)\?[^\s):]*/, "$1")))
        .join("");
    }
    return hidden;
  };

  /** An event for the log, without addresses and parameters. */
  describe(event: ObserverEvent): object {
    const { type, operation, attempt } = event;
    const common = { event: type, operation, attempt };
    const node = this.of(event.node ?? "");
    switch (type) {
      case "attempt":
        return { ...common, node };
      case "response": {
        const { status, duration, error } = event;
        return {
          ...common,
          node,
          status,
          milliseconds: Math.round(duration),
          error: error && this.hide(error.message),
        };
      }
      case "retry":
        return { ...common, node, delay: Math.round(event.delay), error: this.hide(event.error.message) };
      case "pause":
        return { ...common, node, delay: Math.round(event.delay), cause: event.cause };
      case "failover":
        return { ...common, from: this.of(event.from), to: this.of(event.to), cause: event.cause };
      case "hedge":
        return { ...common, from: this.of(event.from), to: this.of(event.to), delay: Math.round(event.delay) };
    }
  }
}
