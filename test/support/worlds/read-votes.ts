import type { NodeSignature, Vote } from "../../../src/index.js";
import { type AnyPage, Walked, walk } from "./read-walk.js";
import type { Reader } from "./readers.js";
import type { Reading } from "./reading.js";
import { show } from "./records.js";

/** A vote without what differs between the versions of nodes. */
export const voteText = ({ partyId, proposalId, timestamp, value, totalGovernanceTokenWeight }: Vote) =>
  [proposalId, partyId, timestamp, value, totalGovernanceTokenWeight].join(" ");
const voteKey = ({ partyId, proposalId }: Vote) => `${proposalId} ${partyId}`;

export async function readVotes(
  reader: Reader,
  reading: Reading,
  list: (pagination: object) => AsyncIterable<AnyPage<Vote>>,
): Promise<void> {
  const { world } = reading;
  const walked = new Walked<Vote>();
  if (!(await walk(reader, reading, list, walked))) return;
  // A page without a block can be of a node that is behind the page before, where a vote has not moved yet: nothing shows it.
  const { nodes, events } = world.world;
  const isBehind = nodes.length > 1 && (nodes.some(({ lag }) => lag > 0) || events.some(({ name }) => name === "lag"));
  if (walked.isNameless && isBehind) return;
  const isDescending = reader.newestFirst !== reader.isBackward;
  // A walk that continues can repeat votes of the one before.
  const parts = [0, ...walked.continuedAt].map((from, index) => walked.items.slice(from, walked.continuedAt[index]));
  judgeVotes(reading, reader.query, isDescending, parts, walked.block ?? world.lowestHead);
}

/** Each vote as of a block is there in its version of that block, or in a later one. With the newest first, a vote that is cast again meanwhile can be missing. */
function judgeVotes(
  reading: Reading,
  query: Reader["query"],
  isDescending: boolean,
  parts: readonly (readonly Vote[])[],
  block: bigint,
): void {
  const walked = parts.flat();
  const written = reading.world.votes.filter(({ vote }) =>
    "partyId" in query ? vote.partyId === query.partyId : vote.proposalId === query.proposalId,
  );
  const known = new Set(written.map(({ vote }) => voteText(vote)));
  const invented = walked.filter((vote) => !known.has(voteText(vote)));
  if (invented.length > 0) reading.fail("surplus", `votes that nobody cast: ${invented.map(voteText).slice(0, 3)}`);
  for (const part of parts) {
    // At the close of a proposal its votes are written again, with their weights: to a loop over `serve`, which knows no earlier page.
    const casts = new Set(part.map(voteText));
    if (casts.size < part.length) reading.fail("repeated", `${part.length - casts.size} votes came again`);
  }
  const asOfBlock = new Map(
    written.filter(({ time }) => time < block).map((each) => [voteKey(each.vote), each] as const),
  );
  const movedLater = new Set(written.filter(({ time }) => time >= block).map(({ vote }) => voteKey(vote)));
  const lost = [...asOfBlock].filter(([key, { vote }]) => {
    if (isDescending && movedLater.has(key)) return false;
    return !walked.some((each) => voteKey(each) === key && BigInt(each.timestamp) >= BigInt(vote.timestamp));
  });
  const shown = lost
    .slice(0, 3)
    .map(([key, { time }]) => `${key.slice(62)} of ${show(time)}${movedLater.has(key) ? " (moved)" : ""}`);
  if (lost.length > 0) reading.fail("lost", `${lost.length} of ${asOfBlock.size} votes are missing: ${shown}`);
}

export async function readSignatures(reader: Reader, reading: Reading): Promise<void> {
  const { world } = reading;
  const client = world.client();
  const walked = new Walked<NodeSignature>();
  const { resource } = world.world;
  const open = (pagination: object) => client.listNodeSignatures({ id: resource, pagination }).pages();
  if (!(await walk(reader, reading, open, walked))) return;
  judgeSignatures(reading, walked.items, walked.block ?? world.lowestHead);
}

export function judgeSignatures(reading: Reading, walked: readonly NodeSignature[], block: bigint): void {
  const { signatures } = reading.world;
  const got = new Set(walked.map(({ sig }) => sig));
  if (got.size < walked.length) reading.fail("repeated", `${walked.length - got.size} signatures came again`);
  const lost = signatures.filter(({ sig, time }) => time < block && !got.has(sig));
  if (lost.length > 0) reading.fail("lost", `${lost.length} of ${signatures.length} signatures are missing`);
  if ([...got].some((sig) => !signatures.some((each) => each.sig === sig)))
    reading.fail("surplus", "unknown signatures");
}
