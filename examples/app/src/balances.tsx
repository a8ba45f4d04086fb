import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { toDate } from "vegaprotocol-client";
import { Chart } from "./chart.js";
import type { Connection } from "./connection.js";
import { IdField, Loading, View } from "./elements.js";
import { Failure } from "./failure.js";
import { formatAmount, formatTime, shorten, toNumber } from "./format.js";

interface Props {
  connection: Connection;
  partyId: string;
  onChange: (partyId: string) => void;
}

export function Balances({ connection, partyId, onChange }: Props) {
  const field = <IdField label="Party" value={partyId} known={connection.parties} onChange={onChange} />;
  return (
    <View title="Balance history" controls={field}>
      {partyId === "" ? <p className="notice">Enter the id of a party.</p> : <History {...{ connection, partyId }} />}
    </View>
  );
}

function History({ connection, partyId }: Pick<Props, "connection" | "partyId">) {
  const options = connection.vega.listBalanceChanges.infinite({
    filter: { partyIds: [partyId], accountTypes: ["ACCOUNT_TYPE_GENERAL"] },
    pagination: { first: 300 },
  });
  const { data, error, isFetching, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery(options);
  const [chosen, choose] = useState("");
  if (data === undefined) {
    return error ? <Failure error={error} onRetry={() => refetch()} /> : <Loading what="balances" />;
  }
  const changes = data.pages.flatMap(({ nodes }) => nodes);
  const assets = [...new Set(changes.map(({ assetId }) => assetId ?? ""))].sort();
  const asset = assets.includes(chosen) ? chosen : (assets[0] ?? "");
  const shown = changes.filter(({ assetId }) => assetId === asset).reverse();
  const points = shown.map(({ timestamp, balance }) => ({
    time: toDate(timestamp).getTime(),
    value: toNumber(balance),
  }));
  const [oldest] = points;
  const latest = points.at(-1);
  if (!oldest || !latest) return <p className="notice">This party has no balances in the history of the node.</p>;
  const change = latest.value - oldest.value;
  return (
    <div className="panel">
      <div className="figures">
        <div>
          <span className="muted">Balance</span>
          <b className="figure">{formatAmount(latest.value)}</b>
        </div>
        <div>
          <span className="muted">Change since {formatTime(oldest.time)}</span>
          <b className={`figure ${change < 0 ? "fall" : "rise"}`}>
            {change < 0 ? "−" : "+"}
            {formatAmount(Math.abs(change))}
          </b>
        </div>
        <label className="field">
          <span>Asset</span>
          <select value={asset} onChange={(event) => choose(event.target.value)}>
            {assets.map((id) => (
              <option key={id} value={id}>
                {shorten(id)}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Chart points={points} label={`Balance of the general account, ${points.length} changes`} />
      <div className="row">
        <span className="muted" data-changes={points.length}>
          {points.length.toLocaleString()} changes{hasNextPage ? "" : ", the whole history of the node"}
        </span>
        {hasNextPage && (
          <button type="button" disabled={isFetching} onClick={() => fetchNextPage()}>
            {isFetching ? "Loading…" : "Show older changes"}
          </button>
        )}
      </div>
      {error && <Failure error={error} onRetry={() => fetchNextPage()} />}
      <details>
        <summary>Latest changes as a table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col" className="number">
                Balance
              </th>
            </tr>
          </thead>
          <tbody>
            {points
              .slice(-10)
              .reverse()
              .map(({ time, value }) => (
                <tr key={time}>
                  <td>{formatTime(time)}</td>
                  <td className="number">{formatAmount(value)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </div>
  );
}
