import { render } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { useRoute } from "./context.js";
import { loadAll, type Source, useData } from "./data.js";
import { NamesContext } from "./format.js";
import { HomeView, NodesView, SearchView } from "./home.js";
import { PartyView } from "./party.js";
import { ProposalView } from "./proposal.js";
import { readSent, SentView } from "./sent.js";
import { type Asset, isAsset } from "./text.js";

function search(event: Event): void {
  event.preventDefault();
  const text = String(new FormData(event.currentTarget as HTMLFormElement).get("text")).trim();
  if (text !== "") location.hash = `#/search?${new URLSearchParams({ text })}`;
}

function App() {
  const route = useRoute();
  const { view, id, query } = route;
  const { data: source, error } = useData<Source>("/explore/source");
  const assets = useData<readonly { id: string; details?: Partial<Asset> | null }[]>("/api/v2/assets?", 0, loadAll);
  const profiles = useData<readonly { partyId: string; alias: string }[]>("/api/v2/parties/profiles?", 0, loadAll);
  const names = useMemo(
    () => ({
      assets: new Map(assets.data?.flatMap(({ id, details }) => (isAsset(details) ? [[id, details]] : []))),
      // A link needs visible text.
      aliases: new Map(
        profiles.data?.flatMap(({ partyId: id, alias }) => (/[^\s\p{C}]/u.test(alias) ? [[id, alias]] : [])),
      ),
      hasViews: true,
    }),
    [assets.data, profiles.data],
  );
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    document.title = [view, id.slice(0, 8), "vegaprotocol explore"].filter(Boolean).join(" · ");
    // A new view begins at its start, for the keyboard, too, as after a page was loaded.
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
    scrollTo(0, 0);
  }, [view, id]);
  const views: Readonly<Record<string, (source: Source) => preact.JSX.Element>> = {
    "": (source) => <HomeView source={source} />,
    party: (source) => <PartyView key={id} route={route} source={source} />,
    proposal: (source) => <ProposalView key={id} route={route} source={source} />,
    nodes: (source) => <NodesView source={source} />,
    search: (source) => <SearchView text={query.get("text") ?? ""} source={source} error={profiles.error} />,
  };
  return (
    <NamesContext.Provider value={names}>
      <header>
        <a href="#/">
          vegaprotocol <b>explore</b>
        </a>
        <search>
          <form onSubmit={search}>
            <input
              name="text"
              type="search"
              aria-label="Search"
              placeholder="Id of a party or proposal, or an alias"
              autocomplete="off"
              spellcheck={false}
            />
          </form>
        </search>
        <a href="#/nodes">{source?.isCopy ? "Copy" : "Nodes"}</a>
      </header>
      <main ref={main} tabIndex={-1}>
        {error && <p class="warning">{error}</p>}
        {source && (Object.hasOwn(views, view) ? views[view]?.(source) : <p class="warning">There is no such page.</p>)}
      </main>
      <footer>{source && `Source: ${source.names.join(", ")}. Times are in UTC.`}</footer>
    </NamesContext.Provider>
  );
}

const place = document.querySelector("#app");
const sent = readSent();
if (place) render(sent ? <SentView page={sent} /> : <App />, place);
