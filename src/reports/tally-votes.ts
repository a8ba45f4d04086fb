import type { Vote } from "../../generated/types.js";
import { checkedWhenRead, checkOptions, expected, nested, type OptionChecks } from "../arguments/check-options.js";
import { type Place, refuse, refuseByRule } from "../arguments/refuse.js";
import { unlessThrown } from "../errors/index.js";
import { compareDigits } from "../values/integers.js";
import { canonicalId, isId } from "../values/names.js";
import { formatUnits, parseUnits } from "../values/units.js";
import { digitsOf, forEachRecord, readCount, refuseMember } from "./records.js";

/** Options of {@link tallyVotes}: the rules of the proposal, which are not part of votes. */
export interface TallyOptions {
  /** The share of YES that is needed, from 0 to 1, such as `"0.66"`. A number is not exact and is not accepted. */
  requiredMajority?: string | undefined;
  /** The share of all tokens that has to vote, from 0 to 1, such as `"0.00001"`. */
  requiredParticipation?: string | undefined;
  /** The tokens that exist, in the smallest unit. */
  totalSupply?: bigint | `${bigint}` | (string & {}) | undefined;
  /** The vote of liquidity providers, which decides if too few tokens voted. Only for the change of a market. */
  liquidity?:
    | {
        /** The share of YES that is needed, such as `"0.66"`. */
        requiredMajority: string;
        /** The equity-like share that has to vote, such as `"0.05"`. */
        requiredParticipation: string;
        /**
         * The market, if the proposal is one of a batch: votes have a share of each market then. It is the share at the
         * time of the vote, while the network counts the shares at the close. A proposal also fails if another one of
         * its batch does.
         */
        marketId?: string | undefined;
      }
    | undefined;
}

/** The result of a vote. */
export interface Tally {
  /** How many parties voted YES, and their tokens in the smallest unit. */
  yes: { parties: number; tokens: string };
  /** How many parties voted NO, and their tokens in the smallest unit. */
  no: { parties: number; tokens: string };
  /** The share of YES of the tokens that voted, truncated to 18 digits. `undefined` if no tokens voted. */
  majority: string | undefined;
  /** The share of the tokens that voted, truncated to 18 digits. `undefined` without a total supply. */
  participation: string | undefined;
  /** `undefined` if an option in `missing` is needed. */
  passes: boolean | undefined;
  /** The threshold that it misses: the participation if both are known to be missed. */
  reason: "participation" | "majority" | undefined;
  /** The vote that `passes` and `reason` are about. */
  decidedBy: "tokens" | "liquidity" | undefined;
  /** Options such as `"totalSupply"` without which it is unknown whether the proposal passes. Empty if it is known. */
  missing: ("requiredMajority" | "requiredParticipation" | "totalSupply")[];
}

/** More decimal places than any share or weight has. */
const decimals = 255;
const one = 10n ** BigInt(decimals);

/** The options without which no result is known. */
const needed = ["requiredMajority", "requiredParticipation", "totalSupply"] as const;

const checkShare = expected('a decimal number from 0 to 1, such as "0.66"', (value) => {
  const units = unlessThrown(() => parseUnits(value as string, decimals)) ?? -1n;
  return units >= 0n && units <= one;
});

const checkMarketId = expected("the id of a market", (value) => typeof value === "string" && isId(value));

const tallyChecks: OptionChecks<TallyOptions> = {
  requiredMajority: checkShare,
  requiredParticipation: checkShare,
  totalSupply: checkedWhenRead,
  liquidity: nested({ requiredMajority: checkShare, requiredParticipation: checkShare, marketId: checkMarketId }),
};

/**
 * Counts the votes on a proposal as the network does at its close. All bounds are inclusive. If a party has several
 * records, the last one counts. Before the close, the result is computed from the tokens that nodes have recorded for
 * each vote, and a validator that has changed its key since its vote counts twice: nodes list the vote for both keys.
 *
 * @param votes - The votes on one proposal, in any order.
 * @throws `ArgumentError` if an option or a record is invalid, if there are votes on several proposals, if more tokens
 * voted than exist, if some were read before the close and others after it, or if no vote has a share of the market
 * that decides.
 * @example
 * ```ts
 * const rules = { requiredMajority: "0.66", requiredParticipation: "0.00001", totalSupply: 64_999_723n * 10n ** 18n };
 * const { passes, reason, majority } = await tallyVotes(client.listVotes({ proposalId }), rules);
 * console.log(passes ? `passes with ${majority}` : `missed the required ${reason}`);
 * ```
 */
export async function tallyVotes(
  votes: Iterable<Vote> | AsyncIterable<Vote>,
  options: TallyOptions = {},
): Promise<Tally> {
  const operation = "tallyVotes";
  checkOptions(tallyChecks, options, { name: operation, operation });
  const place = { operation, argument: "votes" };
  const { totalSupply, liquidity } = options;
  const marketId = liquidity?.marketId === undefined ? undefined : canonicalId(liquidity.marketId);
  const supply = totalSupply === undefined ? undefined : readCount({ operation, argument: "totalSupply" }, totalSupply);
  for (const name of ["requiredMajority", "requiredParticipation"] as const)
    if (liquidity) checkShare(liquidity[name], { operation, argument: `liquidity.${name}` });
  const last = new Map<string, Counted>();
  let proposal: string | undefined;
  await forEachRecord(place, votes, (vote) => {
    proposal ??= vote.proposalId;
    if (vote.proposalId !== proposal)
      refuseMember(place, "proposalId", `the same proposal, ${proposal}`, vote.proposalId);
    const found = readVote(place, vote, liquidity && { marketId });
    const known = last.get(vote.partyId);
    if (known === undefined || isLater(found, known)) last.set(vote.partyId, found);
  });
  const counted = withoutOldKeys(place, [...last.values()]);

  const sum = (value: Vote["value"]) => {
    const side = { parties: 0, tokens: 0n, shares: 0n };
    for (const vote of counted) {
      if (vote.value !== value) continue;
      side.parties++;
      side.tokens += vote.tokens;
      side.shares += vote.share ?? 0n;
    }
    return side;
  };
  const [yes, no] = [sum("VALUE_YES"), sum("VALUE_NO")];
  const tokens = yes.tokens + no.tokens;
  if (supply !== undefined && tokens > supply) {
    const atLeast = `in the smallest unit, and at least ${tokens}, the tokens that voted`;
    refuse({ operation, argument: "totalSupply" }, atLeast, totalSupply);
  }
  const sideOf = ({ parties, tokens }: typeof yes) => ({ parties, tokens: String(tokens) });
  const missing = needed.filter((name) => options[name] === undefined);
  const hasThresholds = missing.length === 0;
  let reason = tokens === 0n ? "participation" : missed(options, yes.tokens, tokens, supply);
  // Without a majority it fails whatever the participation is, unless liquidity providers decide.
  if (reason === "majority" && liquidity && !hasThresholds) reason = undefined;
  const isDecided = hasThresholds || reason !== undefined;
  const isOfProviders = reason === "participation" && liquidity !== undefined;
  if (isOfProviders && counted.length > 0 && counted.every(({ share }) => share === undefined)) {
    const expected = "a market of the batch, of which votes have a share";
    refuse({ operation, argument: "liquidity.marketId" }, expected, liquidity.marketId);
  }
  if (isOfProviders) reason = missed(liquidity, yes.shares, yes.shares + no.shares, one);
  return {
    yes: sideOf(yes),
    no: sideOf(no),
    majority: formatShare(yes.tokens, tokens),
    participation: supply === undefined ? undefined : formatShare(tokens, supply),
    passes: isDecided ? reason === undefined : undefined,
    reason,
    decidedBy: isDecided ? (isOfProviders ? "liquidity" : "tokens") : undefined,
    missing: isDecided ? [] : missing,
  };
}

/** The threshold that is known to be missed. */
function missed(
  { requiredMajority, requiredParticipation }: Pick<TallyOptions, "requiredMajority" | "requiredParticipation">,
  yes: bigint,
  voted: bigint,
  all: bigint | undefined,
): Tally["reason"] {
  if (all !== undefined && isBelow(requiredParticipation, voted, all)) return "participation";
  return isBelow(requiredMajority, yes, voted) ? "majority" : undefined;
}

const isBelow = (required: string | undefined, part: bigint, whole: bigint): boolean =>
  part * one < parseUnits(required ?? "0", decimals) * whole;

type Counted = ReturnType<typeof readVote>;

const readVote = (place: Place, vote: Vote, liquidity: { marketId: string | undefined } | undefined) => ({
  timestamp: digitsOf(place, vote, "timestamp"),
  value: vote.value,
  tokens: BigInt(digitsOf(place, vote, "totalGovernanceTokenBalance")),
  share: liquidity && readShare(place, vote, liquidity.marketId),
  weight: Number(vote.totalGovernanceTokenWeight),
});

/**
 * A vote keeps its time when it is rewritten at the close of the proposal, and gets a weight then, unless its party has
 * no tokens any more (observed on v0.74 nodes).
 */
function isLater(vote: Counted, last: Counted): boolean {
  const order = compareDigits(vote.timestamp, last.timestamp);
  return order > 0 || (order === 0 && (vote.weight > 0 || (vote.tokens === 0n && !last.weight)));
}

/**
 * Leaves out the votes of keys that validators have changed. Nodes list such a vote for both keys, and at the close
 * only the new key gets a weight (source of v0.74 to v0.79).
 */
function withoutOldKeys(place: Place, votes: readonly Counted[]): readonly Counted[] {
  const weighted = votes.filter(({ weight }) => weight > 0);
  const tokens = weighted.reduce((sum, vote) => sum + vote.tokens, 0n);
  // Nodes store 16 digits of a weight: the weight of very few tokens is 0.
  const kept = votes.filter((vote) => vote.weight > 0 || tokens === 0n || vote.tokens * 2n * 10n ** 16n < tokens);
  // The weights of all votes add up to 1. If they do not, the others were read before the close.
  const isMixed = kept.length < votes.length && weighted.reduce((sum, { weight }) => sum + weight, 0) < 0.999999;
  if (isMixed) refuseByRule(place, "were read partly before the close: read them again");
  return kept;
}

/** The equity-like share of a vote; `undefined` if it has none for the market. */
function readShare(place: Place, vote: Vote, marketId: string | undefined): bigint | undefined {
  // v0.74.0 to v0.74.4 nodes send the first of both for batches, later nodes the second.
  const { totalEquityLikeShareWeight, perMarketEquityLikeShareWeight: byMarket, elsPerMarket } = vote;
  const [member, text] =
    marketId === undefined
      ? ["totalEquityLikeShareWeight", totalEquityLikeShareWeight]
      : ["elsPerMarket", elsPerMarket?.find((each) => each.marketId === marketId)?.els ?? byMarket?.[marketId]];
  if (text === undefined) return undefined;
  return unlessThrown(() => parseUnits(text, decimals)) ?? refuseMember(place, member, "a decimal number", text);
}

/** Truncated, so that a missed threshold does not look reached. */
const formatShare = (part: bigint, whole: bigint): string | undefined =>
  whole === 0n ? undefined : formatUnits((part * 10n ** 18n) / whole, 18);
