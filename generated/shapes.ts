// Written by `npm run generate` from openapi.yaml. Edit that, not this.

import { anyOf, flag, integer, list, literal, map, nothing, object, text } from "../src/validate/shape.js";

const mapOfText = map(text);
const marketShareWeight = object(
  (value) =>
    typeof value.marketId === "string" &&
    typeof value.els === "string",
{
  marketId: text,
  els: text,
});
const listOfMarketShareWeight = list(marketShareWeight);
const vote = object(
  (value) =>
    typeof value.partyId === "string" &&
    typeof value.proposalId === "string" &&
    typeof value.timestamp === "string" &&
    (typeof value.value === "string" || Number.isInteger(value.value)) &&
    typeof value.totalGovernanceTokenBalance === "string" &&
    typeof value.totalGovernanceTokenWeight === "string" &&
    typeof value.totalEquityLikeShareWeight === "string" &&
    (value.perMarketEquityLikeShareWeight === undefined || mapOfText.fits(value.perMarketEquityLikeShareWeight)) &&
    (value.elsPerMarket === undefined || listOfMarketShareWeight.fits(value.elsPerMarket)),
{
  partyId: text,
  proposalId: text,
  timestamp: text,
  value: anyOf(text, integer),
  totalGovernanceTokenBalance: text,
  totalGovernanceTokenWeight: text,
  totalEquityLikeShareWeight: text,
}, {
  perMarketEquityLikeShareWeight: mapOfText,
  elsPerMarket: listOfMarketShareWeight,
});
const voteEdge = object(
  (value) =>
    typeof value.cursor === "string" &&
    (vote.fits(value.node) || value.node === null),
{
  cursor: text,
  node: anyOf(vote, nothing),
});
const listOfVoteEdge = list(voteEdge);
const pageInfo = object(
  (value) =>
    typeof value.startCursor === "string" &&
    typeof value.endCursor === "string" &&
    typeof value.hasNextPage === "boolean" &&
    typeof value.hasPreviousPage === "boolean",
{
  startCursor: text,
  endCursor: text,
  hasNextPage: flag,
  hasPreviousPage: flag,
});
const voteConnection = object(
  (value) =>
    listOfVoteEdge.fits(value.edges) &&
    (pageInfo.fits(value.pageInfo) || value.pageInfo === null),
{
  edges: listOfVoteEdge,
  pageInfo: anyOf(pageInfo, nothing),
});
const listVotesResponse = object(
  (value) =>
    voteConnection.fits(value.votes),
{
  votes: voteConnection,
});
const metadata = object(
  (value) =>
    typeof value.key === "string" &&
    typeof value.value === "string",
{
  key: text,
  value: text,
});
const listOfMetadata = list(metadata);
const partyProfile = object(
  (value) =>
    typeof value.partyId === "string" &&
    typeof value.alias === "string" &&
    listOfMetadata.fits(value.metadata),
{
  partyId: text,
  alias: text,
  metadata: listOfMetadata,
});
const partyProfileEdge = object(
  (value) =>
    typeof value.cursor === "string" &&
    (partyProfile.fits(value.node) || value.node === null),
{
  cursor: text,
  node: anyOf(partyProfile, nothing),
});
const listOfPartyProfileEdge = list(partyProfileEdge);
const partyProfileConnection = object(
  (value) =>
    listOfPartyProfileEdge.fits(value.edges) &&
    (pageInfo.fits(value.pageInfo) || value.pageInfo === null),
{
  edges: listOfPartyProfileEdge,
  pageInfo: anyOf(pageInfo, nothing),
});
const listPartiesProfilesResponse = object(
  (value) =>
    partyProfileConnection.fits(value.profiles),
{
  profiles: partyProfileConnection,
});
const spamCounter = object(
  (value) =>
    typeof value.countForEpoch === "string" &&
    typeof value.maxForEpoch === "string" &&
    (value.bannedUntil === undefined || typeof value.bannedUntil === "string") &&
    typeof value.minTokensRequired === "string",
{
  countForEpoch: text,
  maxForEpoch: text,
  minTokensRequired: text,
}, {
  bannedUntil: text,
});
const proposalVoteCount = object(
  (value) =>
    typeof value.proposal === "string" &&
    typeof value.countForEpoch === "string" &&
    typeof value.minTokensRequired === "string",
{
  proposal: text,
  countForEpoch: text,
  minTokensRequired: text,
});
const listOfProposalVoteCount = list(proposalVoteCount);
const voteSpamStatistics = object(
  (value) =>
    listOfProposalVoteCount.fits(value.statistics) &&
    typeof value.maxForEpoch === "string" &&
    (value.bannedUntil === undefined || typeof value.bannedUntil === "string"),
{
  statistics: listOfProposalVoteCount,
  maxForEpoch: text,
}, {
  bannedUntil: text,
});
const proofOfWorkBlockState = object(
  (value) =>
    typeof value.blockHeight === "string" &&
    typeof value.blockHash === "string" &&
    typeof value.transactionsSeen === "string" &&
    (value.expectedDifficulty === undefined || typeof value.expectedDifficulty === "string") &&
    typeof value.hashFunction === "string" &&
    typeof value.difficulty === "string" &&
    typeof value.txPerBlock === "string" &&
    typeof value.increasingDifficulty === "boolean",
{
  blockHeight: text,
  blockHash: text,
  transactionsSeen: text,
  hashFunction: text,
  difficulty: text,
  txPerBlock: text,
  increasingDifficulty: flag,
}, {
  expectedDifficulty: text,
});
const listOfProofOfWorkBlockState = list(proofOfWorkBlockState);
const proofOfWorkStatistics = object(
  (value) =>
    listOfProofOfWorkBlockState.fits(value.blockStates) &&
    (value.bannedUntil === undefined || typeof value.bannedUntil === "string") &&
    typeof value.numberOfPastBlocks === "string",
{
  blockStates: listOfProofOfWorkBlockState,
  numberOfPastBlocks: text,
}, {
  bannedUntil: text,
});
const spamStatistics = object(
  (value) =>
    typeof value.epochSeq === "string" &&
    (spamCounter.fits(value.applyReferralCode) || value.applyReferralCode === null) &&
    (spamCounter.fits(value.createReferralSet) || value.createReferralSet === null) &&
    (spamCounter.fits(value.updateReferralSet) || value.updateReferralSet === null) &&
    (spamCounter.fits(value.delegations) || value.delegations === null) &&
    (spamCounter.fits(value.issueSignatures) || value.issueSignatures === null) &&
    (spamCounter.fits(value.nodeAnnouncements) || value.nodeAnnouncements === null) &&
    (spamCounter.fits(value.proposals) || value.proposals === null) &&
    (spamCounter.fits(value.transfers) || value.transfers === null) &&
    (voteSpamStatistics.fits(value.votes) || value.votes === null) &&
    (proofOfWorkStatistics.fits(value.pow) || value.pow === null),
{
  epochSeq: text,
  applyReferralCode: anyOf(spamCounter, nothing),
  createReferralSet: anyOf(spamCounter, nothing),
  updateReferralSet: anyOf(spamCounter, nothing),
  delegations: anyOf(spamCounter, nothing),
  issueSignatures: anyOf(spamCounter, nothing),
  nodeAnnouncements: anyOf(spamCounter, nothing),
  proposals: anyOf(spamCounter, nothing),
  transfers: anyOf(spamCounter, nothing),
  votes: anyOf(voteSpamStatistics, nothing),
  pow: anyOf(proofOfWorkStatistics, nothing),
});
const spamStatisticsResponse = object(
  (value) =>
    typeof value.chainId === "string" &&
    (spamStatistics.fits(value.statistics) || value.statistics === null),
{
  chainId: text,
  statistics: anyOf(spamStatistics, nothing),
});
const balanceChange = object(
  (value) =>
    typeof value.timestamp === "string" &&
    typeof value.balance === "string" &&
    (value.partyId === undefined || typeof value.partyId === "string") &&
    (value.assetId === undefined || typeof value.assetId === "string") &&
    (value.marketId === undefined || typeof value.marketId === "string") &&
    (value.accountType === undefined || (typeof value.accountType === "string" || Number.isInteger(value.accountType))),
{
  timestamp: text,
  balance: text,
}, {
  partyId: text,
  assetId: text,
  marketId: text,
  accountType: anyOf(text, integer),
});
const balanceChangeEdge = object(
  (value) =>
    typeof value.cursor === "string" &&
    (balanceChange.fits(value.node) || value.node === null),
{
  cursor: text,
  node: anyOf(balanceChange, nothing),
});
const listOfBalanceChangeEdge = list(balanceChangeEdge);
const balanceChangeConnection = object(
  (value) =>
    listOfBalanceChangeEdge.fits(value.edges) &&
    (pageInfo.fits(value.pageInfo) || value.pageInfo === null),
{
  edges: listOfBalanceChangeEdge,
  pageInfo: anyOf(pageInfo, nothing),
});
const listBalanceChangesResponse = object(
  (value) =>
    balanceChangeConnection.fits(value.balances),
{
  balances: balanceChangeConnection,
});
const nodeSignature = object(
  (value) =>
    typeof value.id === "string" &&
    (typeof value.sig === "string" || value.sig === null) &&
    (typeof value.kind === "string" || Number.isInteger(value.kind)),
{
  id: text,
  sig: anyOf(text, nothing),
  kind: anyOf(text, integer),
});
const nodeSignatureEdge = object(
  (value) =>
    typeof value.cursor === "string" &&
    (nodeSignature.fits(value.node) || value.node === null),
{
  cursor: text,
  node: anyOf(nodeSignature, nothing),
});
const listOfNodeSignatureEdge = list(nodeSignatureEdge);
const nodeSignatureConnection = object(
  (value) =>
    listOfNodeSignatureEdge.fits(value.edges) &&
    (pageInfo.fits(value.pageInfo) || value.pageInfo === null),
{
  edges: listOfNodeSignatureEdge,
  pageInfo: anyOf(pageInfo, nothing),
});
const listNodeSignaturesResponse = object(
  (value) =>
    nodeSignatureConnection.fits(value.signatures),
{
  signatures: nodeSignatureConnection,
});
const passedTransactionCheck = object(
  (value) =>
    value.success === true &&
    Number.isInteger(value.code) &&
    typeof value.data === "string" &&
    typeof value.log === "string" &&
    typeof value.gasWanted === "string" &&
    typeof value.gasUsed === "string" &&
    typeof value.info === "string",
{
  success: literal(true),
  code: integer,
  data: text,
  log: text,
  gasWanted: text,
  gasUsed: text,
  info: text,
});
const refusedTransactionCheck = object(
  (value) =>
    value.success === false &&
    Number.isInteger(value.code) &&
    typeof value.data === "string" &&
    typeof value.log === "string" &&
    typeof value.gasWanted === "string" &&
    typeof value.gasUsed === "string" &&
    typeof value.info === "string",
{
  success: literal(false),
  code: integer,
  data: text,
  log: text,
  gasWanted: text,
  gasUsed: text,
  info: text,
});
const transactionCheckResult = anyOf(passedTransactionCheck, refusedTransactionCheck);

/** What each operation answers. */
export const answers = {
  listVotes: listVotesResponse,
  listPartiesProfiles: listPartiesProfilesResponse,
  getSpamStatistics: spamStatisticsResponse,
  listBalanceChanges: listBalanceChangesResponse,
  listNodeSignatures: listNodeSignaturesResponse,
  checkTransaction: transactionCheckResult,
};
