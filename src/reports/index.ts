/**
 * Answers from records: balances at a time, series, statements, tallies, limits and bundles.
 *
 * @module vegaprotocol-client/reports
 */
export type { Account } from "./accounts.js";
export { type BalanceSeriesOptions, type BalanceSeriesRow, balanceSeries } from "./balance-series.js";
export { type AccountBalance, balancesAt } from "./balances-at.js";
export { type CheckExplanation, explainCheck } from "./explain-check.js";
export type { RangeOptions } from "./records.js";
export { signatureBundle } from "./signature-bundle.js";
export { type AccountStatement, statement } from "./statement.js";
export {
  type Submission,
  type SubmissionLimits,
  submissionLimits,
} from "./submission-limits.js";
export { type SubmissionTracker, submissionTracker } from "./submission-tracker.js";
export { type Tally, type TallyOptions, tallyVotes } from "./tally-votes.js";
