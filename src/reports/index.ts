/**
 * Answers from records: balances at a time, series, statements, tallies, limits and bundles.
 *
 * A report is a pure function over records, in any order and from any source. It reads each record once, checks it, and
 * keeps only the part that its result needs: the last balance of an account, not its changes. Amounts are integers in
 * digits and never rounded. A balance before the first record of an account is unknown, and so is every sum with it,
 * unless the caller knows that the records are complete. Two different balances of one account and time cannot both be
 * true: they are an error in a report whose result would depend on them.
 *
 * @module vegaprotocol-client/reports
 */
export { type BalanceSeriesOptions, type BalanceSeriesRow, balanceSeries } from "./balance-series.js";
export { type Account, type AccountBalance, type AccountStatement, balancesAt, statement } from "./balances.js";
export { type CheckExplanation, explainCheck } from "./explain-check.js";
export type { RangeOptions } from "./records.js";
export { signatureBundle } from "./signature-bundle.js";
export {
  type Submission,
  type SubmissionLimits,
  type SubmissionLimitsOptions,
  submissionLimits,
} from "./submission-limits.js";
export { type SubmissionTracker, submissionTracker } from "./submission-tracker.js";
export { type Tally, type TallyOptions, tallyVotes } from "./tally-votes.js";
