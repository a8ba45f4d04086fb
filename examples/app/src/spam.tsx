import { useQuery } from "@tanstack/react-query";
import type { SpamCounter } from "vegaprotocol-client";
import type { Connection } from "./connection.js";
import { IdField, Loading, View } from "./elements.js";
import { Failure } from "./failure.js";
import { formatAmount, formatTime, shorten, toNumber, toWords } from "./format.js";

interface Props {
  connection: Connection;
  partyId: string;
  onChange: (partyId: string) => void;
}

export function Spam({ connection, partyId, onChange }: Props) {
  const field = <IdField label="Party" value={partyId} known={connection.parties} onChange={onChange} />;
  return (
    <View title="Spam statistics" controls={field}>
      {partyId === "" ? (
        <p className="notice">Enter the id of a party.</p>
      ) : (
        <Statistics {...{ connection, partyId }} />
      )}
    </View>
  );
}

function Statistics({ connection, partyId }: Pick<Props, "connection" | "partyId">) {
  const { data, error, refetch } = useQuery({
    ...connection.vega.getSpamStatistics({ partyId }),
    refetchInterval: 15_000,
  });
  if (data === undefined) {
    return error ? <Failure error={error} onRetry={() => refetch()} /> : <Loading what="statistics" />;
  }
  const { chainId, statistics } = data;
  if (statistics === null) return <p className="notice">The node has no statistics of this party.</p>;
  const { epochSeq, votes, pow, ...counters } = statistics;
  return (
    <>
      <p className="muted" data-epoch={epochSeq}>
        Epoch {epochSeq} of the chain {chainId}
      </p>
      <div className="cards">
        {Object.entries(counters)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, counter]) => counter && <Counter key={name} name={toWords(name)} {...counter} />)}
        {votes?.statistics.map(({ proposal, countForEpoch, minTokensRequired }) => (
          <Counter
            key={proposal}
            name={`Votes on ${shorten(proposal)}`}
            {...{ countForEpoch, minTokensRequired, maxForEpoch: votes.maxForEpoch }}
            {...(votes.bannedUntil && { bannedUntil: votes.bannedUntil })}
          />
        ))}
      </div>
      {pow && pow.blockStates.length > 0 && (
        <div className="panel scroller">
          <h3>Proof of work</h3>
          <table>
            <thead>
              <tr>
                <th scope="col">Block</th>
                <th scope="col" className="number">
                  Transactions
                </th>
                <th scope="col" className="number">
                  Difficulty
                </th>
                <th scope="col" className="number">
                  Next
                </th>
              </tr>
            </thead>
            <tbody>
              {pow.blockStates.map((block) => (
                <tr key={block.blockHash}>
                  <td>{block.blockHeight}</td>
                  <td className="number">
                    {block.transactionsSeen} / {block.txPerBlock}
                  </td>
                  <td className="number">{block.difficulty}</td>
                  <td className="number">{block.expectedDifficulty ?? "–"}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

function Counter({ name, countForEpoch, maxForEpoch, minTokensRequired, bannedUntil }: SpamCounter & { name: string }) {
  const limit = Number(maxForEpoch);
  const tokens = toNumber(minTokensRequired);
  return (
    <article className="panel card">
      <h3>{name}</h3>
      <p className="count">
        <b>{countForEpoch}</b> <span className="muted">of {maxForEpoch}</span>
      </p>
      <meter
        aria-label={`${name} of this epoch`}
        max={limit}
        value={Number(countForEpoch)}
        high={limit - 1}
        optimum={0}
      />
      <p className="muted">
        {tokens === 0 ? "No tokens required" : `Requires ${formatAmount(tokens)} ${tokens === 1 ? "token" : "tokens"}`}
      </p>
      {bannedUntil && <p className="banned">Blocked until {formatTime(bannedUntil)}</p>}
    </article>
  );
}
