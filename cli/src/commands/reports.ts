import { type Submission, submissionLimits, tallyVotes } from "vegaprotocol-client/reports";
import { kebab } from "../arguments.js";
import { type Definition, exampleIds, isEntered } from "../command.js";
import { connect } from "../connection.js";
import { exitCodes, UsageError } from "../errors.js";
import * as flag from "../flags.js";
import { printMessage } from "../io.js";
import { listAssets, type Proposal, requireProposal } from "../other-paths.js";
import { readTarget } from "../output/file.js";
import { printObject, printRecords } from "../output/print.js";
import { readUnits } from "../output/units.js";
import { anyProposal, bundleOf, noStatistics, readSends, type TallyRules, tallyRules } from "../reports.js";
import { formatTime } from "../times.js";
import { clientOf, dbFlags } from "./balance-reports.js";

const { party, proposal, resource } = exampleIds;
const { filterFlag: filter } = flag;
const mandatory = true;

interface TallyFlags extends flag.Flags, TallyRules {
  readonly proposal: string;
}

const tallyCommand: Definition<TallyFlags> = {
  name: "tally",
  summary: "Count the votes on a proposal.",
  details:
    "Thresholds default to the node's values for the proposal. No node has the total supply: without it, it is " +
    "unknown whether a proposal that reaches its majority passes.",
  flags: [
    filter("--proposal <ID>", "The proposal.", { mandatory }),
    filter("--required-majority <SHARE>", "The share of YES that is needed, such as 0.66."),
    filter("--required-participation <SHARE>", "The share of all tokens that has to vote, such as 0.00001."),
    filter("--total-supply <N>", "The governance tokens that exist, in the smallest unit."),
    filter("--liquidity-majority <SHARE>", "For the change of a market: the share of YES of liquidity providers."),
    filter("--liquidity-participation <SHARE>", "For the change of a market: the liquidity that has to vote."),
    filter("--market <ID>", "With --liquidity-majority: the market, if the proposal is one of a batch."),
    ...flag.fileFlags([...flag.formats, "svg"]),
    flag.quietFlag(),
    ...dbFlags(),
    ...flag.nodeFlags(),
  ],
  examples: [`tally --proposal ${proposal} --total-supply 200000000000000000000000000`],
  async run(io, flags) {
    const { proposal: proposalId, market } = flags;
    // A wrong flag is found before a request is sent.
    const format = readTarget(flags.output, flags.format)?.format ?? flags.format;
    const rulesOf = (proposal?: Proposal) => tallyRules(flags, (name) => `--${kebab(name)}`, proposal);
    await tallyVotes([], rulesOf(anyProposal).rules);
    const client = await clientOf(io, flags);
    // A copy has no proposals.
    const node = flags.db === undefined || !flags.node ? client : (await connect(io, flags)).client;
    const proposal = await requireProposal(node, proposalId, io.signal, market);
    const { rules, thresholds } = rulesOf(proposal);
    const records = await client.listVotes({ proposalId }, { signal: io.signal }).toArray();
    const tally = await tallyVotes(records, rules);
    const state = proposal?.state;
    if (format === "html" || format === "svg") {
      const { units } = await readUnits(io, flags, voteKinds, () => listAssets(client, io.signal), true);
      await printRecords(io, flags, voteKinds, async () => records, units, {
        title: "Votes on a proposal",
        tally: { tally, rules: { ...rules, totalSupply: flags.totalSupply }, state },
      });
    } else await printObject(io, flags, async () => ({ state, ...tally, thresholds }));
    if (flags.quiet) return;
    if (tally.yes.parties + tally.no.parties === 0) printMessage(io, "Nobody has voted on the proposal.");
    const missing = tally.missing.map((name) => `--${kebab(name)}`);
    if (missing.length > 0) printMessage(io, `Whether it passes is unknown without ${missing.join(", ")}.`);
  },
};

const voteKinds = { partyId: "text", value: "text", totalGovernanceTokenBalance: "amount", timestamp: "time" } as const;

interface LimitsFlags extends flag.Flags {
  readonly party: string;
  readonly command: Submission["command"];
  readonly proposal?: string;
  readonly sentSince?: number;
  readonly sentByBlock?: readonly string[];
  readonly tokens?: string;
}

const commands = [
  ...["proposal", "delegation", "transfer", "nodeAnnouncement", "issueSignatures", "vote"],
  ...["createReferralSet", "updateReferralSet", "applyReferralCode", "other"],
];
const sentSinceText = "Transactions of this kind that were sent since the last block. Default: 0.";
const sentByBlockText =
  "How many transactions of any kind were sent with proof of work of the block of this height. Can be repeated. Default: the " +
  "transactions of --sent-since count for every block.";

const limitsCommand: Definition<LimitsFlags> = {
  name: "limits",
  summary: "Print whether a party can submit another transaction.",
  details:
    "If not, the exit code is 4. The statistics are of the last block: --sent-since and --sent-by-block add what was sent since then.",
  flags: [
    filter("--party <ID>", "The party.", { mandatory }),
    filter("--command <NAME>", "The kind of transaction. other is limited by proof of work only.", {
      mandatory,
      choices: commands.map(kebab),
      parse: (word) => commands.find((name) => kebab(name) === word),
    }),
    filter("--proposal <ID>", "The proposal of a vote."),
    filter("--sent-since <N>", sentSinceText, { parse: flag.integer({ minimum: 0 }) }),
    filter("--sent-by-block <HEIGHT=N>", sentByBlockText, { repeat: true }),
    filter("--tokens <N>", "The governance tokens of the party, in the smallest unit. Default: not compared."),
    ...flag.fileFlags(),
    ...flag.nodeFlags(),
  ],
  examples: [`limits --party ${party} --command vote --proposal ${proposal}`],
  async run(io, flags, _, entered) {
    const { party: partyId, command, proposal: proposalId, sentSince, tokens } = flags;
    if (command === "vote" && proposalId === undefined) throw new UsageError("--command vote requires --proposal.");
    if (command !== "vote" && isEntered(entered, "proposal"))
      throw new UsageError("--proposal requires --command vote.");
    const sentByBlock = flags.sentByBlock && readSends(flags.sentByBlock, "--sent-by-block");
    const submission = { command, proposalId } as Submission;
    const options = { sentSince, sentByBlock, tokens };
    // A wrong flag is found before a request is sent.
    submissionLimits(noStatistics, submission, options);
    const client = await clientOf(io, flags);
    const read = async () => {
      const { data, block } = await client.getSpamStatistics({ partyId }, { signal: io.signal }).withResponse();
      const found = submissionLimits(data, submission, { ...options, now: block?.timestamp });
      const bannedUntil = found.bannedUntil && formatTime(found.bannedUntil);
      return { ...found, bannedUntil };
    };
    const limits = await printObject(io, flags, read, "Limits of a party");
    if (limits.reason === undefined) return exitCodes.done;
    const reasons = {
      banned: `the party is banned until ${limits.bannedUntil}`,
      quota: `none is left in this epoch`,
      // A vote needs one token if the statistics have no minimum.
      tokens: `the party needs at least ${limits.minTokens ?? 1} governance tokens (in the smallest unit)`,
      "proof-of-work": "every block has as many transactions as the network accepts; wait for the next one",
    };
    printMessage(io, `No further transaction of this kind is accepted: ${reasons[limits.reason]}.`);
    return exitCodes.rejected;
  },
};

const bundleCommand: Definition<flag.Flags & { readonly id: string }> = {
  name: "bundle",
  summary: "Print the signatures of a resource as the bridge contract takes them.",
  details: "A withdrawal also needs its creation time, nonce and target, which the signatures do not have.",
  flags: [filter("--id <ID>", "The resource.", { mandatory }), ...flag.fileFlags(), ...dbFlags(), ...flag.nodeFlags()],
  examples: [`bundle --id ${resource}`],
  async run(io, flags) {
    const { id } = flags;
    const signatures = (await clientOf(io, flags)).listNodeSignatures({ id }, { signal: io.signal });
    await printObject(io, flags, async () => ({ id, bundle: await bundleOf(id, signatures) }), "Signature bundle");
  },
};

export const reportCommands: readonly Definition<never>[] = [tallyCommand, limitsCommand, bundleCommand];
