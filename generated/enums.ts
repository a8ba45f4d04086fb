// Written by `npm run generate` from openapi.yaml. Edit that, not this.

/**
 * What a party votes on a proposal. The reference names the first value, the others were observed on v0.74 nodes.
 *
 * - `VALUE_UNSPECIFIED`: Not given; the default.
 * - `VALUE_NO`: Against the proposal.
 * - `VALUE_YES`: For the proposal.
 */
export type VoteValue =
  | "VALUE_UNSPECIFIED"
  | "VALUE_NO"
  | "VALUE_YES";

/** The names of {@link VoteValue} that this version knows. A newer node may send others. */
export const voteValues = [
  "VALUE_UNSPECIFIED",
  "VALUE_NO",
  "VALUE_YES",
] as const satisfies readonly VoteValue[];

/** Tells whether a value that a node sent is one of the names of {@link VoteValue} that this version knows. */
export function isVoteValue(value: unknown): value is VoteValue {
  return (voteValues as readonly unknown[]).includes(value);
}

/**
 * What an account is for.
 *
 * - `ACCOUNT_TYPE_UNSPECIFIED`: Not given; the default.
 * - `ACCOUNT_TYPE_INSURANCE`: A market's insurance pool.
 * - `ACCOUNT_TYPE_SETTLEMENT`: Passing account that lives only while a market settles or is marked to market.
 * - `ACCOUNT_TYPE_MARGIN`: What a party has set aside in a market for its open positions. Moves with the margin that is needed, and is out of reach until it is released to the general account.
 * - `ACCOUNT_TYPE_GENERAL`: A party's free collateral in one asset. Deposits arrive here, withdrawals leave from here, and fees and initial margin are taken from it.
 * - `ACCOUNT_TYPE_FEES_INFRASTRUCTURE`: Fees for those who run the infrastructure.
 * - `ACCOUNT_TYPE_FEES_LIQUIDITY`: Fees for those who provide a market's liquidity.
 * - `ACCOUNT_TYPE_FEES_MAKER`: Fees for resting orders that were matched.
 * - `ACCOUNT_TYPE_BOND`: What liquidity providers have committed.
 * - `ACCOUNT_TYPE_EXTERNAL`: The world outside, which deposits come from and withdrawals go to.
 * - `ACCOUNT_TYPE_GLOBAL_INSURANCE`: Insurance across markets, one for each asset.
 * - `ACCOUNT_TYPE_GLOBAL_REWARD`: Rewards across markets, one for each asset.
 * - `ACCOUNT_TYPE_PENDING_TRANSFERS`: Transfers under way, one for each asset.
 * - `ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES`: Rewards for paying maker fees, one for each asset.
 * - `ACCOUNT_TYPE_REWARD_MAKER_RECEIVED_FEES`: Rewards for receiving maker fees, one for each asset.
 * - `ACCOUNT_TYPE_REWARD_LP_RECEIVED_FEES`: Rewards for fees that liquidity providers received, one for each asset.
 * - `ACCOUNT_TYPE_REWARD_MARKET_PROPOSERS`: Rewards for having proposed a market, once enough was traded on it, one for each asset.
 * - `ACCOUNT_TYPE_HOLDING`: What is held for orders that are not filled yet, one for each asset.
 * - `ACCOUNT_TYPE_LP_LIQUIDITY_FEES`: Liquidity fees that accrue in a market, kept by the network.
 * - `ACCOUNT_TYPE_LIQUIDITY_FEES_BONUS_DISTRIBUTION`: Bonuses on liquidity fees of a market, kept by the network.
 * - `ACCOUNT_TYPE_NETWORK_TREASURY`: The network's treasury.
 * - `ACCOUNT_TYPE_VESTING_REWARDS`: Rewards of a user that have not vested yet.
 * - `ACCOUNT_TYPE_VESTED_REWARDS`: Rewards of a user that have vested.
 * - `ACCOUNT_TYPE_REWARD_AVERAGE_POSITION`: Rewards of a market by average position, one for each asset.
 * - `ACCOUNT_TYPE_REWARD_RELATIVE_RETURN`: Rewards of a market by relative return, one for each asset.
 * - `ACCOUNT_TYPE_REWARD_RETURN_VOLATILITY`: Rewards of a market by volatility of returns, one for each asset.
 * - `ACCOUNT_TYPE_REWARD_VALIDATOR_RANKING`: Rewards for validators by their rank, one for each asset.
 * - `ACCOUNT_TYPE_PENDING_FEE_REFERRAL_REWARD`: Referral rewards from fees that are still to be paid out, one for each asset.
 * - `ACCOUNT_TYPE_ORDER_MARGIN`: Margin for the orders of a party in isolated margin mode, one for each asset and market.
 */
export type AccountType =
  | "ACCOUNT_TYPE_UNSPECIFIED"
  | "ACCOUNT_TYPE_INSURANCE"
  | "ACCOUNT_TYPE_SETTLEMENT"
  | "ACCOUNT_TYPE_MARGIN"
  | "ACCOUNT_TYPE_GENERAL"
  | "ACCOUNT_TYPE_FEES_INFRASTRUCTURE"
  | "ACCOUNT_TYPE_FEES_LIQUIDITY"
  | "ACCOUNT_TYPE_FEES_MAKER"
  | "ACCOUNT_TYPE_BOND"
  | "ACCOUNT_TYPE_EXTERNAL"
  | "ACCOUNT_TYPE_GLOBAL_INSURANCE"
  | "ACCOUNT_TYPE_GLOBAL_REWARD"
  | "ACCOUNT_TYPE_PENDING_TRANSFERS"
  | "ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES"
  | "ACCOUNT_TYPE_REWARD_MAKER_RECEIVED_FEES"
  | "ACCOUNT_TYPE_REWARD_LP_RECEIVED_FEES"
  | "ACCOUNT_TYPE_REWARD_MARKET_PROPOSERS"
  | "ACCOUNT_TYPE_HOLDING"
  | "ACCOUNT_TYPE_LP_LIQUIDITY_FEES"
  | "ACCOUNT_TYPE_LIQUIDITY_FEES_BONUS_DISTRIBUTION"
  | "ACCOUNT_TYPE_NETWORK_TREASURY"
  | "ACCOUNT_TYPE_VESTING_REWARDS"
  | "ACCOUNT_TYPE_VESTED_REWARDS"
  | "ACCOUNT_TYPE_REWARD_AVERAGE_POSITION"
  | "ACCOUNT_TYPE_REWARD_RELATIVE_RETURN"
  | "ACCOUNT_TYPE_REWARD_RETURN_VOLATILITY"
  | "ACCOUNT_TYPE_REWARD_VALIDATOR_RANKING"
  | "ACCOUNT_TYPE_PENDING_FEE_REFERRAL_REWARD"
  | "ACCOUNT_TYPE_ORDER_MARGIN";

/** The names of {@link AccountType} that this version knows. A newer node may send others. */
export const accountTypes = [
  "ACCOUNT_TYPE_UNSPECIFIED",
  "ACCOUNT_TYPE_INSURANCE",
  "ACCOUNT_TYPE_SETTLEMENT",
  "ACCOUNT_TYPE_MARGIN",
  "ACCOUNT_TYPE_GENERAL",
  "ACCOUNT_TYPE_FEES_INFRASTRUCTURE",
  "ACCOUNT_TYPE_FEES_LIQUIDITY",
  "ACCOUNT_TYPE_FEES_MAKER",
  "ACCOUNT_TYPE_BOND",
  "ACCOUNT_TYPE_EXTERNAL",
  "ACCOUNT_TYPE_GLOBAL_INSURANCE",
  "ACCOUNT_TYPE_GLOBAL_REWARD",
  "ACCOUNT_TYPE_PENDING_TRANSFERS",
  "ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES",
  "ACCOUNT_TYPE_REWARD_MAKER_RECEIVED_FEES",
  "ACCOUNT_TYPE_REWARD_LP_RECEIVED_FEES",
  "ACCOUNT_TYPE_REWARD_MARKET_PROPOSERS",
  "ACCOUNT_TYPE_HOLDING",
  "ACCOUNT_TYPE_LP_LIQUIDITY_FEES",
  "ACCOUNT_TYPE_LIQUIDITY_FEES_BONUS_DISTRIBUTION",
  "ACCOUNT_TYPE_NETWORK_TREASURY",
  "ACCOUNT_TYPE_VESTING_REWARDS",
  "ACCOUNT_TYPE_VESTED_REWARDS",
  "ACCOUNT_TYPE_REWARD_AVERAGE_POSITION",
  "ACCOUNT_TYPE_REWARD_RELATIVE_RETURN",
  "ACCOUNT_TYPE_REWARD_RETURN_VOLATILITY",
  "ACCOUNT_TYPE_REWARD_VALIDATOR_RANKING",
  "ACCOUNT_TYPE_PENDING_FEE_REFERRAL_REWARD",
  "ACCOUNT_TYPE_ORDER_MARGIN",
] as const satisfies readonly AccountType[];

/** Tells whether a value that a node sent is one of the names of {@link AccountType} that this version knows. */
export function isAccountType(value: unknown): value is AccountType {
  return (accountTypes as readonly unknown[]).includes(value);
}

/**
 * What kind of resource a node signs.
 *
 * - `NODE_SIGNATURE_KIND_UNSPECIFIED`: Not given; the default.
 * - `NODE_SIGNATURE_KIND_ASSET_NEW`: A new asset.
 * - `NODE_SIGNATURE_KIND_ASSET_WITHDRAWAL`: A withdrawal of an asset.
 * - `NODE_SIGNATURE_KIND_ERC20_MULTISIG_SIGNER_ADDED`: A signer added to the ERC-20 multisig contract.
 * - `NODE_SIGNATURE_KIND_ERC20_MULTISIG_SIGNER_REMOVED`: A signer removed from the ERC-20 multisig contract.
 * - `NODE_SIGNATURE_KIND_ASSET_UPDATE`: A change of an asset.
 */
export type NodeSignatureKind =
  | "NODE_SIGNATURE_KIND_UNSPECIFIED"
  | "NODE_SIGNATURE_KIND_ASSET_NEW"
  | "NODE_SIGNATURE_KIND_ASSET_WITHDRAWAL"
  | "NODE_SIGNATURE_KIND_ERC20_MULTISIG_SIGNER_ADDED"
  | "NODE_SIGNATURE_KIND_ERC20_MULTISIG_SIGNER_REMOVED"
  | "NODE_SIGNATURE_KIND_ASSET_UPDATE";

/** The names of {@link NodeSignatureKind} that this version knows. A newer node may send others. */
export const nodeSignatureKinds = [
  "NODE_SIGNATURE_KIND_UNSPECIFIED",
  "NODE_SIGNATURE_KIND_ASSET_NEW",
  "NODE_SIGNATURE_KIND_ASSET_WITHDRAWAL",
  "NODE_SIGNATURE_KIND_ERC20_MULTISIG_SIGNER_ADDED",
  "NODE_SIGNATURE_KIND_ERC20_MULTISIG_SIGNER_REMOVED",
  "NODE_SIGNATURE_KIND_ASSET_UPDATE",
] as const satisfies readonly NodeSignatureKind[];

/** Tells whether a value that a node sent is one of the names of {@link NodeSignatureKind} that this version knows. */
export function isNodeSignatureKind(value: unknown): value is NodeSignatureKind {
  return (nodeSignatureKinds as readonly unknown[]).includes(value);
}

/**
 * How a transaction is laid out. The reference names the first value, the others were observed on v0.74 nodes.
 *
 * - `TX_VERSION_UNSPECIFIED`: Not given; the default.
 * - `TX_VERSION_V2`: The second layout.
 * - `TX_VERSION_V3`: The third layout.
 */
export type TransactionVersion =
  | "TX_VERSION_UNSPECIFIED"
  | "TX_VERSION_V2"
  | "TX_VERSION_V3";

/** The names of {@link TransactionVersion} that this version knows. A newer node may send others. */
export const transactionVersions = [
  "TX_VERSION_UNSPECIFIED",
  "TX_VERSION_V2",
  "TX_VERSION_V3",
] as const satisfies readonly TransactionVersion[];

/** Tells whether a value that a node sent is one of the names of {@link TransactionVersion} that this version knows. */
export function isTransactionVersion(value: unknown): value is TransactionVersion {
  return (transactionVersions as readonly unknown[]).includes(value);
}
