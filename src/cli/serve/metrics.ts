/** What a metric counts or measures. */
interface Family {
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
}

export type Labels = Readonly<Record<string, string>>;

/** The upper bounds of the buckets of response times, in seconds. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Counters, gauges and histograms in the text format of Prometheus. */
export class Metrics {
  readonly #families: ReadonlyMap<string, Family>;
  readonly #values = new Map<string, Map<string, number>>();

  constructor(families: Readonly<Record<string, Family>>) {
    this.#families = new Map(Object.entries(families));
  }

  add(name: string, labels: Labels = {}, amount = 1): void {
    this.#change(name, labels, (value) => value + amount);
  }

  set(name: string, labels: Labels, value: number): void {
    this.#change(name, labels, () => value);
  }

  /** Adds a measurement to a histogram. */
  observe(name: string, labels: Labels, value: number): void {
    for (const bound of buckets) this.add(name, { ...labels, le: String(bound) }, value <= bound ? 1 : 0);
    this.add(name, { ...labels, le: "+Inf" });
    this.add(`${name}_sum`, labels, value);
    this.add(`${name}_count`, labels);
  }

  /** The text that Prometheus reads. */
  toText(): string {
    const lines: string[] = [];
    for (const [name, { type, help }] of this.#families) {
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
      const samples = type === "histogram" ? [`${name}`, `${name}_sum`, `${name}_count`] : [name];
      for (const sample of samples) {
        const shown = sample === name && type === "histogram" ? `${name}_bucket` : sample;
        for (const [labels, value] of this.#values.get(sample) ?? []) lines.push(`${shown}${labels} ${value}`);
      }
    }
    return `${lines.join("\n")}\n`;
  }

  #change(name: string, labels: Labels, change: (value: number) => number): void {
    const values = this.#values.get(name) ?? new Map<string, number>();
    this.#values.set(name, values);
    const key = textOf(labels);
    values.set(key, change(values.get(key) ?? 0));
  }
}

function textOf(labels: Labels): string {
  const texts = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replace(/[\\"\n]/g, escapeCharacter)}"`,
  );
  return texts.length === 0 ? "" : `{${texts.join(",")}}`;
}

const escapeCharacter = (character: string) => (character === "\n" ? "\\n" : `\\${character}`);
