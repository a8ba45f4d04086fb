/** A page to send: records and reports that the command line wrote into it. */
import type { Vote } from "vegaprotocol-client";
import type { BalanceSeriesRow } from "vegaprotocol-client/reports";
import { NamesContext } from "./format.js";
import { SeriesCharts } from "./party.js";
import { type TallyProps, TallyView, VotesChart } from "./proposal.js";
import { Records, type Row } from "./records.js";
import { type Asset, formatName, withTimes, zone } from "./text.js";

export interface Sent {
  readonly rows: readonly Row[];
  readonly title: string;
  readonly about: readonly (readonly [name: string, value: string])[];
  /** Notes for the reader, such as the time from which the records are complete. */
  readonly notes: readonly string[];
  /** The members of a record, with their kinds. */
  readonly columns: Readonly<Record<string, string>>;
  readonly assets: readonly (readonly [id: string, asset: Asset])[];
  readonly timeZone: string;
  readonly tally?: TallyProps | undefined;
}

export function readSent(): Sent | undefined {
  const data = document.querySelector("#data")?.textContent;
  return data ? JSON.parse(data) : undefined;
}

export function SentView({ page }: { page: Sent }) {
  const { title, about, notes, rows, columns, tally } = page;
  zone.name = page.timeZone;
  const names = { assets: new Map(page.assets), aliases: new Map<string, string>(), hasViews: false };
  return (
    <NamesContext.Provider value={names}>
      <main>
        <h1>{title}</h1>
        <dl>
          {about.map(([name, value]) => [
            <dt key={name}>{formatName(name)}</dt>,
            <dd key={value}>{withTimes(value)}</dd>,
          ])}
        </dl>
        {notes.map((note) => (
          <p key={note} class="muted">
            {withTimes(note)}
          </p>
        ))}
        {tally && <h2>Result</h2>}
        {tally && <TallyView {...tally} />}
        {tally && <VotesChart votes={rows as readonly Vote[]} />}
        {"time" in columns && "balance" in columns && <SeriesCharts rows={rows as readonly BalanceSeriesRow[]} />}
        <Records label="Records" rows={rows} columns={Object.keys(columns) as (keyof Row)[]} kinds={columns} />
      </main>
      <footer>Times are in {zone.name}.</footer>
    </NamesContext.Provider>
  );
}
