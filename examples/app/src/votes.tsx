import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { Connection } from "./connection.js";
import { IdField, Loading, View } from "./elements.js";
import { Failure } from "./failure.js";
import { formatAmount, formatShort, formatShortTime, formatTime, shorten, toNumber } from "./format.js";

interface Props {
  connection: Connection;
  proposalId: string;
  onChange: (proposalId: string) => void;
}

export function Votes({ connection, proposalId, onChange }: Props) {
  const field = <IdField label="Proposal" value={proposalId} known={connection.proposals} onChange={onChange} />;
  return (
    <View title="Votes of a proposal" controls={field}>
      {proposalId === "" ? (
        <p className="notice">Enter the id of a proposal.</p>
      ) : (
        <List {...{ connection, proposalId }} />
      )}
    </View>
  );
}

function List({ connection, proposalId }: Pick<Props, "connection" | "proposalId">) {
  // A page has room for the votes of any two neighboring blocks, unless a proposal with more votes has closed.
  const options = connection.vega.listVotes.infinite({ proposalId, pagination: { first: 500 } });
  const { data, error, isFetching, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery(options);
  const votes = data?.pages.flatMap(({ nodes }) => nodes) ?? [];
  const canFetch = hasNextPage && !isFetching && error === null;
  const end = useVisible<HTMLDivElement>(() => {
    if (canFetch) fetchNextPage();
  });
  if (data === undefined) {
    return error ? <Failure error={error} onRetry={() => refetch()} /> : <Loading what="votes" />;
  }
  const tokens = (value: string) =>
    votes
      .filter((vote) => vote.value === value)
      .reduce((sum, vote) => sum + toNumber(vote.totalGovernanceTokenBalance), 0);
  const [yes, no] = [tokens("VALUE_YES"), tokens("VALUE_NO")];
  const share = yes + no === 0 ? 0 : (100 * yes) / (yes + no);
  return (
    <>
      <div className="panel">
        <div className="ratio" role="img" aria-label={`${share.toFixed(1)} percent of the tokens voted yes`}>
          <div className="yes" style={{ width: `${share}%` }} />
        </div>
        <div className="legend">
          <span>
            <i className="dot yes" aria-hidden="true" /> Yes <b>{formatShort(yes)}</b> tokens ({share.toFixed(1)} %)
          </span>
          <span>
            <i className="dot no" aria-hidden="true" /> No <b>{formatShort(no)}</b> tokens ({(100 - share).toFixed(1)}{" "}
            %)
          </span>
          <span className="muted">of the votes shown</span>
        </div>
      </div>
      <div className="panel scroller">
        <table>
          <caption className="hidden">Votes, newest first</caption>
          <thead>
            <tr>
              <th scope="col">Cast</th>
              <th scope="col">Party</th>
              <th scope="col">Vote</th>
              <th scope="col" className="number">
                Tokens
              </th>
              <th scope="col" className="number wide">
                Weight
              </th>
            </tr>
          </thead>
          <tbody>
            {votes.map((vote) => (
              <tr key={`${vote.partyId} ${vote.timestamp}`} data-vote={`${vote.partyId} ${vote.timestamp}`}>
                <td title={formatTime(vote.timestamp)}>{formatShortTime(vote.timestamp)}</td>
                <td>
                  <code title={vote.partyId}>{shorten(vote.partyId)}</code>
                </td>
                <td>
                  <span
                    className={`chip ${vote.value === "VALUE_YES" ? "yes" : vote.value === "VALUE_NO" ? "no" : ""}`}
                  >
                    {vote.value === "VALUE_YES" ? "Yes" : vote.value === "VALUE_NO" ? "No" : "–"}
                  </span>
                </td>
                <td className="number" title={formatAmount(toNumber(vote.totalGovernanceTokenBalance))}>
                  {formatShort(toNumber(vote.totalGovernanceTokenBalance))}
                </td>
                <td className="number wide">{Number(vote.totalGovernanceTokenWeight).toPrecision(3)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div ref={end} className="list-end" aria-live="polite">
        {error ? (
          <Failure error={error} onRetry={() => fetchNextPage()} />
        ) : isFetching ? (
          <Loading what="more votes" />
        ) : hasNextPage ? (
          <button type="button" onClick={() => fetchNextPage()}>
            Show more votes
          </button>
        ) : (
          <p className="muted" data-end={votes.length}>
            {votes.length === 0 ? "No votes." : `All ${votes.length.toLocaleString()} votes are shown.`}
          </p>
        )}
      </div>
    </>
  );
}

/** Calls back while an element is near the visible part of the page. */
function useVisible<E extends Element>(callback: () => void) {
  const element = useRef<E>(null);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) callback();
      },
      { rootMargin: "400px" },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  });
  return element;
}
