import { useEffect, useState } from "react";
import { Balances } from "./balances.js";
import type { Connection } from "./connection.js";
import { Spam } from "./spam.js";
import { Votes } from "./votes.js";

const views = { votes: "Votes", balances: "Balances", spam: "Spam statistics" } as const;

export function App({ connection }: { connection: Connection }) {
  const [route, setRoute] = useRoute();
  const view = route.get("view") ?? "votes";
  const proposalId = route.get("proposal") ?? connection.proposals[0]?.id ?? "";
  const partyId = route.get("party") ?? connection.parties[0]?.id ?? "";
  const { address } = connection;
  return (
    <>
      <header>
        <div className="bar">
          <h1>Vega network explorer</h1>
          <form className="field node" method="get">
            <label>
              <span>Node</span>
              <input
                name="node"
                type="url"
                defaultValue={address}
                placeholder="Fake node in this page"
                spellCheck={false}
              />
            </label>
            <button type="submit">Connect</button>
          </form>
        </div>
        <nav aria-label="Views">
          {Object.entries(views).map(([name, title]) => (
            <a key={name} href={setRoute.href({ view: name })} aria-current={view === name ? "page" : undefined}>
              {title}
            </a>
          ))}
        </nav>
      </header>
      <main>
        {view === "spam" ? (
          <Spam {...{ connection, partyId }} onChange={(party) => setRoute({ party })} />
        ) : view === "balances" ? (
          <Balances key={partyId} {...{ connection, partyId }} onChange={(party) => setRoute({ party })} />
        ) : (
          <Votes {...{ connection, proposalId }} onChange={(proposal) => setRoute({ proposal })} />
        )}
      </main>
    </>
  );
}

/** The view and the ids, in the fragment of the address: they stay after a reload and can be linked. */
function useRoute() {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const update = () => setHash(location.hash);
    addEventListener("hashchange", update);
    return () => removeEventListener("hashchange", update);
  }, []);
  const route = new URLSearchParams(hash.slice(1));
  const href = (change: Record<string, string>) =>
    `#${new URLSearchParams({ ...Object.fromEntries(route), ...change })}`;
  const set = (change: Record<string, string>) => {
    location.hash = href(change);
  };
  return [route, Object.assign(set, { href })] as const;
}
