// Written by `npm run generate` from openapi.yaml. Edit that, not this.

export interface paths {
    "/api/v2/votes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List votes
         * @description Lists the votes of a party, the votes on a proposal, or the vote of one party on one proposal. At least one of
         *     `partyId` and `proposalId` has to be given; with neither, the node answers 400 (observed on v0.74 nodes).
         *
         *     A cursor of this list is a time and nothing else on v0.74 nodes. Where more votes share one block time than fit
         *     a page, such a node repeats that page for ever; with fewer, votes can come twice or be left out. A page that
         *     holds all of them is right, so ask for large pages.
         */
        get: operations["listVotes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/parties/profiles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List profiles of parties
         * @description Lists the alias and the metadata of parties: of those named in `parties`, or of all.
         *
         *     The list holds every party, also those that never set a profile, and a party called `network` (observed on
         *     v0.74 nodes). Such nodes answer 500 to any cursor of this list: only its first page can be had, so ask for the
         *     largest page, for both orders, or for parties by name.
         */
        get: operations["listPartiesProfiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/statistics/spam/{partyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the spam statistics of a party
         * @description Tells how much of its anti-spam allowance a party has used in the current epoch, per kind of transaction, and
         *     what proof of work the network asks of it per recent block. A party that went too far is blocked: the counter
         *     concerned then says until when.
         *
         *     A party that the network does not know is answered with zeros, not with an error (observed on v0.74 nodes).
         */
        get: operations["getSpamStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/balance/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List balance changes
         * @description Lists how the balances of accounts changed in a range of time, filtered by asset, party, market and kind of
         *     account. Several filters narrow the list together.
         *
         *     On v0.74 nodes rows are lost between pages of this list. Only what needs no cursor is whole: a range of time
         *     whose rows fit one page.
         */
        get: operations["listBalanceChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/node/signatures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List node signatures
         * @description Lists the signatures that the network's nodes have made for one resource: a new or changed asset, a withdrawal,
         *     or a change of the signers of the multisig contract. Cursors of this list are sound (observed on v0.74 nodes).
         */
        get: operations["listNodeSignatures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transaction/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a signed transaction
         * @description Checks whether the network would accept a signed transaction, without submitting it: it does not enter the
         *     mempool. A transaction that is refused is answered with 200 as well; `success` is then `false`, `code` names
         *     the category and `data` the reason.
         *
         *     **Send a check once.** The node remembers the proof of work of what it checked until the next block, and
         *     refuses the same transaction with code 89 when it is checked again, or submitted, in the same block (observed
         *     on v0.74 nodes).
         */
        post: operations["checkTransaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A page of votes. */
        ListVotesResponse: {
            votes: components["schemas"]["VoteConnection"];
        };
        /** @description Votes with their cursors, and whether there are more. */
        VoteConnection: {
            /** @description The votes of the page, in the order that was asked for. */
            edges: components["schemas"]["VoteEdge"][];
            /** @description Where the page stands in the list. `null` where the node has nothing to say of it; such a page is the last. */
            pageInfo: components["schemas"]["PageInfo"] | null;
        };
        /** @description A vote and its place in the list. */
        VoteEdge: {
            /** @description The record's place in the list, to page from. Opaque. */
            cursor: string;
            /** @description The vote, or `null` where the node left it unset. */
            node: components["schemas"]["Vote"] | null;
        };
        /** @description A vote of a party on a proposal. */
        Vote: {
            /** @description The party that voted. */
            partyId: string;
            /** @description The proposal voted on. */
            proposalId: string;
            /**
             * Format: int64
             * @description Time of the vote, in Unix nanoseconds, to the microsecond (observed on v0.74 nodes).
             */
            timestamp: string;
            /** @description What was voted. */
            value: components["schemas"]["VoteValue"] | string | number;
            /** @description How many governance tokens the party held, as a whole number of the token's smallest unit. May exceed 64 bits (observed on v0.74 nodes). */
            totalGovernanceTokenBalance: string;
            /** @description Weight of the vote by governance tokens, a decimal number (observed on v0.74 nodes). */
            totalGovernanceTokenWeight: string;
            /** @description Weight of the vote by equity-like share in the market concerned, a decimal number (observed on v0.74 nodes). */
            totalEquityLikeShareWeight: string;
            /** @description Weight by equity-like share in each market, where the proposal concerns several, as decimal numbers by market id. Sent by v0.74.0 to v0.74.4; later nodes send `elsPerMarket` instead (observed on v0.74 nodes). */
            perMarketEquityLikeShareWeight?: {
                [key: string]: string;
            };
            /** @description Weight by equity-like share in each market, where the proposal concerns several. Sent from v0.74.5 on (observed on v0.74 nodes). */
            elsPerMarket?: components["schemas"]["MarketShareWeight"][];
        };
        /** @description Weight of a vote in one market. */
        MarketShareWeight: {
            /** @description The market. */
            marketId: string;
            /** @description Weight by equity-like share in the market, a decimal number. */
            els: string;
        };
        /**
         * @description What a party votes on a proposal. The reference names the first value, the others were observed on v0.74 nodes.
         * @enum {string}
         */
        VoteValue: "VALUE_UNSPECIFIED" | "VALUE_NO" | "VALUE_YES";
        /** @description A page of party profiles. */
        ListPartiesProfilesResponse: {
            profiles: components["schemas"]["PartyProfileConnection"];
        };
        /** @description Profiles with their cursors, and whether there are more. */
        PartyProfileConnection: {
            /** @description The profiles of the page, in the order that was asked for. */
            edges: components["schemas"]["PartyProfileEdge"][];
            /** @description Where the page stands in the list. `null` where the node has nothing to say of it; such a page is the last. */
            pageInfo: components["schemas"]["PageInfo"] | null;
        };
        /** @description A profile and its place in the list. */
        PartyProfileEdge: {
            /** @description The record's place in the list, to page from. Opaque. */
            cursor: string;
            /** @description The profile, or `null` where the node left it unset. */
            node: components["schemas"]["PartyProfile"] | null;
        };
        /** @description What a party tells of itself. */
        PartyProfile: {
            /** @description The party. `network` is the network itself (observed on v0.74 nodes). */
            partyId: string;
            /** @description The name that the party goes by; empty where it has set none (observed on v0.74 nodes). */
            alias: string;
            /** @description Whatever else the party tells, as keys and values; empty where it has set none (observed on v0.74 nodes). */
            metadata: components["schemas"]["Metadata"][];
        };
        /** @description A key and its value, both chosen by the party. */
        Metadata: {
            /** @description What the value is about. */
            key: string;
            /** @description The value, unchecked by the network. */
            value: string;
        };
        /** @description The spam statistics of one party. */
        SpamStatisticsResponse: {
            /** @description The chain that the statistics were taken on. */
            chainId: string;
            /** @description The party's counters and limits in the current epoch. */
            statistics: components["schemas"]["SpamStatistics"] | null;
        };
        /** @description Counters and limits of one party in one epoch. A member can be `null` where the node has nothing to tell (observed on v0.74 nodes). */
        SpamStatistics: {
            /**
             * Format: uint64
             * @description The epoch that the statistics apply to.
             */
            epochSeq: string;
            /** @description Transactions that apply a referral code. */
            applyReferralCode: components["schemas"]["SpamCounter"] | null;
            /** @description Transactions that create a referral set. */
            createReferralSet: components["schemas"]["SpamCounter"] | null;
            /** @description Transactions that update a referral set. */
            updateReferralSet: components["schemas"]["SpamCounter"] | null;
            /** @description Delegations. */
            delegations: components["schemas"]["SpamCounter"] | null;
            /** @description Multisig signatures issued for the party. */
            issueSignatures: components["schemas"]["SpamCounter"] | null;
            /** @description Announcements of nodes. */
            nodeAnnouncements: components["schemas"]["SpamCounter"] | null;
            /** @description Proposals. */
            proposals: components["schemas"]["SpamCounter"] | null;
            /** @description Transfers. */
            transfers: components["schemas"]["SpamCounter"] | null;
            /** @description Votes on proposals, counted for each proposal. */
            votes: components["schemas"]["VoteSpamStatistics"] | null;
            /** @description Proof of work that the network asks of the party. */
            pow: components["schemas"]["ProofOfWorkStatistics"] | null;
        };
        /** @description How many transactions of one kind a party has sent in the epoch, and how many it may send. */
        SpamCounter: {
            /**
             * Format: uint64
             * @description Transactions of this kind counted in the epoch.
             */
            countForEpoch: string;
            /**
             * Format: uint64
             * @description Transactions of this kind allowed in the epoch.
             */
            maxForEpoch: string;
            /**
             * Format: date-time
             * @description When the block ends, in RFC 3339 with up to nine digits of a second. Present only while the party is blocked.
             */
            bannedUntil?: string;
            /** @description Tokens that a party needs at the least to send a transaction of this kind, as a whole number of the token's smallest unit. May exceed 64 bits (observed on v0.74 nodes). */
            minTokensRequired: string;
        };
        /** @description A party's votes in the epoch, by proposal. */
        VoteSpamStatistics: {
            /** @description An entry for each proposal that the party voted on, in no defined order. */
            statistics: components["schemas"]["ProposalVoteCount"][];
            /**
             * Format: uint64
             * @description Votes allowed in the epoch.
             */
            maxForEpoch: string;
            /**
             * Format: date-time
             * @description When the block ends, in RFC 3339 with up to nine digits of a second. Present only while the party is blocked.
             */
            bannedUntil?: string;
        };
        /** @description A party's votes on one proposal. */
        ProposalVoteCount: {
            /** @description The proposal. */
            proposal: string;
            /**
             * Format: uint64
             * @description Votes counted on the proposal in the epoch.
             */
            countForEpoch: string;
            /** @description Tokens that a party needs at the least to vote on the proposal, as a whole number of the token's smallest unit. May exceed 64 bits (observed on v0.74 nodes). */
            minTokensRequired: string;
        };
        /** @description Proof of work that the network asks of a party. */
        ProofOfWorkStatistics: {
            /** @description An entry for each block that a transaction can still be tied to, in no defined order. */
            blockStates: components["schemas"]["ProofOfWorkBlockState"][];
            /**
             * Format: date-time
             * @description When the block ends, in RFC 3339 with up to nine digits of a second. Present only while the party is blocked.
             */
            bannedUntil?: string;
            /**
             * Format: uint64
             * @description How many past blocks count.
             */
            numberOfPastBlocks: string;
        };
        /** @description Proof of work for transactions that are tied to one block. */
        ProofOfWorkBlockState: {
            /**
             * Format: uint64
             * @description Height of the block.
             */
            blockHeight: string;
            /** @description Hash of the block, in hexadecimal (observed on v0.74 nodes). */
            blockHash: string;
            /**
             * Format: uint64
             * @description The party's transactions that were tied to the block.
             */
            transactionsSeen: string;
            /**
             * Format: uint64
             * @description Difficulty that the next transaction on the block needs at the least. Absent where no more transactions fit on the block.
             */
            expectedDifficulty?: string;
            /** @description Name of the function that the block's hash was made with, such as `sha3_24_rounds` (observed on v0.74 nodes). */
            hashFunction: string;
            /**
             * Format: uint64
             * @description Difficulty of the block.
             */
            difficulty: string;
            /**
             * Format: uint64
             * @description Transactions that one block allows a party at the plain difficulty.
             */
            txPerBlock: string;
            /** @description Whether more transactions are allowed on the block at a growing difficulty. */
            increasingDifficulty: boolean;
        };
        /** @description A page of balance changes. */
        ListBalanceChangesResponse: {
            balances: components["schemas"]["BalanceChangeConnection"];
        };
        /** @description Balance changes with their cursors, and whether there are more. */
        BalanceChangeConnection: {
            /** @description The balance changes of the page, in the order that was asked for. */
            edges: components["schemas"]["BalanceChangeEdge"][];
            /** @description Where the page stands in the list. `null` where the node has nothing to say of it; such a page is the last. */
            pageInfo: components["schemas"]["PageInfo"] | null;
        };
        /** @description A balance change and its place in the list. */
        BalanceChangeEdge: {
            /** @description The record's place in the list, to page from. Opaque. */
            cursor: string;
            /** @description The balance change, or `null` where the node left it unset. */
            node: components["schemas"]["BalanceChange"] | null;
        };
        /** @description The balance that an account had from a block on. Which account is told by its asset, party, market and type; the reference calls each of the four set when the list is grouped by it, and v0.74 nodes always send all (observed on v0.74 nodes). */
        BalanceChange: {
            /**
             * Format: int64
             * @description Time of the block, in Unix nanoseconds.
             */
            timestamp: string;
            /** @description The balance after the change, as a whole number of the asset's smallest unit. May exceed 64 bits (observed on v0.74 nodes). */
            balance: string;
            /** @description The party that owns the account; `network` for the network's own (observed on v0.74 nodes). */
            partyId?: string;
            /** @description The asset that the account holds. */
            assetId?: string;
            /** @description The market that the account belongs to; empty where it belongs to none (observed on v0.74 nodes). */
            marketId?: string;
            /** @description What kind of account it is. */
            accountType?: components["schemas"]["AccountType"] | string | number;
        };
        /**
         * @description What an account is for.
         * @enum {string}
         */
        AccountType: "ACCOUNT_TYPE_UNSPECIFIED" | "ACCOUNT_TYPE_INSURANCE" | "ACCOUNT_TYPE_SETTLEMENT" | "ACCOUNT_TYPE_MARGIN" | "ACCOUNT_TYPE_GENERAL" | "ACCOUNT_TYPE_FEES_INFRASTRUCTURE" | "ACCOUNT_TYPE_FEES_LIQUIDITY" | "ACCOUNT_TYPE_FEES_MAKER" | "ACCOUNT_TYPE_BOND" | "ACCOUNT_TYPE_EXTERNAL" | "ACCOUNT_TYPE_GLOBAL_INSURANCE" | "ACCOUNT_TYPE_GLOBAL_REWARD" | "ACCOUNT_TYPE_PENDING_TRANSFERS" | "ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES" | "ACCOUNT_TYPE_REWARD_MAKER_RECEIVED_FEES" | "ACCOUNT_TYPE_REWARD_LP_RECEIVED_FEES" | "ACCOUNT_TYPE_REWARD_MARKET_PROPOSERS" | "ACCOUNT_TYPE_HOLDING" | "ACCOUNT_TYPE_LP_LIQUIDITY_FEES" | "ACCOUNT_TYPE_LIQUIDITY_FEES_BONUS_DISTRIBUTION" | "ACCOUNT_TYPE_NETWORK_TREASURY" | "ACCOUNT_TYPE_VESTING_REWARDS" | "ACCOUNT_TYPE_VESTED_REWARDS" | "ACCOUNT_TYPE_REWARD_AVERAGE_POSITION" | "ACCOUNT_TYPE_REWARD_RELATIVE_RETURN" | "ACCOUNT_TYPE_REWARD_RETURN_VOLATILITY" | "ACCOUNT_TYPE_REWARD_VALIDATOR_RANKING" | "ACCOUNT_TYPE_PENDING_FEE_REFERRAL_REWARD" | "ACCOUNT_TYPE_ORDER_MARGIN";
        /** @description A page of node signatures. */
        ListNodeSignaturesResponse: {
            signatures: components["schemas"]["NodeSignatureConnection"];
        };
        /** @description Signatures with their cursors, and whether there are more. */
        NodeSignatureConnection: {
            /** @description The signatures of the page, in the order that was asked for. */
            edges: components["schemas"]["NodeSignatureEdge"][];
            /** @description Where the page stands in the list. `null` where the node has nothing to say of it; such a page is the last. */
            pageInfo: components["schemas"]["PageInfo"] | null;
        };
        /** @description A signature and its place in the list. */
        NodeSignatureEdge: {
            /** @description The record's place in the list, to page from. Opaque. */
            cursor: string;
            /** @description The signature, or `null` where the node left it unset. */
            node: components["schemas"]["NodeSignature"] | null;
        };
        /** @description A signature that a node of the network made for a resource. */
        NodeSignature: {
            /** @description The resource that was signed. */
            id: string;
            /**
             * Format: byte
             * @description The signature's bytes in base64, or `null` where there are none (observed on v0.74 nodes).
             */
            sig: string | null;
            /** @description What kind of resource was signed. */
            kind: components["schemas"]["NodeSignatureKind"] | string | number;
        };
        /**
         * @description What kind of resource a node signs.
         * @enum {string}
         */
        NodeSignatureKind: "NODE_SIGNATURE_KIND_UNSPECIFIED" | "NODE_SIGNATURE_KIND_ASSET_NEW" | "NODE_SIGNATURE_KIND_ASSET_WITHDRAWAL" | "NODE_SIGNATURE_KIND_ERC20_MULTISIG_SIGNER_ADDED" | "NODE_SIGNATURE_KIND_ERC20_MULTISIG_SIGNER_REMOVED" | "NODE_SIGNATURE_KIND_ASSET_UPDATE";
        /** @description Where a page stands in its list. */
        PageInfo: {
            /** @description Cursor of the first record of the page; empty where the page is (observed on v0.74 nodes). */
            startCursor: string;
            /** @description Cursor of the last record of the page; empty where the page is (observed on v0.74 nodes). */
            endCursor: string;
            /** @description Whether there is a page after this one. */
            hasNextPage: boolean;
            /** @description Whether there is a page before this one. */
            hasPreviousPage: boolean;
        };
        /** @description The transaction to check. */
        CheckTransactionRequest: {
            tx: components["schemas"]["Transaction"];
        };
        /** @description A signed transaction, as the wallet made it. Which members have to be there is for the node to say: the reference marks none, and a node refuses what it misses with `success: false`. */
        Transaction: {
            /** @description How the transaction is laid out. */
            version?: components["schemas"]["TransactionVersion"] | string;
            /** @description The command that was signed, as the wallet encoded it. */
            inputData?: string;
            /** @description The public key of the party that signed. */
            pubKey?: string;
            /** @description The address of the party that signed, where it signs by address. */
            address?: string;
            signature?: components["schemas"]["TransactionSignature"];
            pow?: components["schemas"]["ProofOfWork"];
        };
        /** @description A party's signature of a transaction. */
        TransactionSignature: {
            /** @description The algorithm that was signed with. */
            algo?: string;
            /** @description The signature, as the wallet encoded it. */
            value?: string;
            /** @description The algorithm's version. */
            version?: number;
        };
        /** @description Proof of work of a transaction. */
        ProofOfWork: {
            /** @description What the work was done for. A node takes each once in a block (observed on v0.74 nodes). */
            tid?: string;
            /** @description The number that was found, in digits. */
            nonce?: string;
        };
        /**
         * @description How a transaction is laid out. The reference names the first value, the others were observed on v0.74 nodes.
         * @enum {string}
         */
        TransactionVersion: "TX_VERSION_UNSPECIFIED" | "TX_VERSION_V2" | "TX_VERSION_V3";
        /** @description The outcome of a check. `success` tells which of the two it is. */
        TransactionCheckResult: components["schemas"]["PassedTransactionCheck"] | components["schemas"]["RefusedTransactionCheck"];
        /** @description The transaction passed every check. */
        PassedTransactionCheck: {
            /**
             * @description Whether the transaction passed.
             * @enum {boolean}
             */
            success: true;
            /**
             * Format: int64
             * @description Category of the failure; 0 as there is none (observed on v0.74 nodes).
             */
            code: number;
            /** @description Nothing, as there is no failure. */
            data: string;
            /** @description Nothing, as there is no failure. */
            log: string;
            /**
             * Format: int64
             * @description Space in a block that the transaction fills. Not a price.
             */
            gasWanted: string;
            /**
             * Format: int64
             * @description Not used.
             */
            gasUsed: string;
            /** @description Not used by the reference; v0.74 nodes may repeat the reason here. */
            info: string;
        };
        /** @description The transaction would be refused. */
        RefusedTransactionCheck: {
            /**
             * @description Whether the transaction passed.
             * @enum {boolean}
             */
            success: false;
            /**
             * Format: int64
             * @description Category of the failure: 51 validation, 60 decoding or signature, 70 internal, 80 unknown command, 89 spam or proof of work (observed on v0.74 nodes).
             */
            code: number;
            /** @description Why the transaction was refused. */
            data: string;
            /** @description What the consensus layer has to say of it. */
            log: string;
            /**
             * Format: int64
             * @description Space in a block that the transaction fills. Not a price.
             */
            gasWanted: string;
            /**
             * Format: int64
             * @description Not used.
             */
            gasUsed: string;
            /** @description Not used by the reference; v0.74 nodes may repeat the reason here. */
            info: string;
        };
        /** @description What a node answers when it fails. */
        ErrorBody: {
            /**
             * Format: int32
             * @description Status code of gRPC (observed on v0.74 nodes).
             */
            code: number;
            /** @description A short word on the failure. The telling one is mostly in `details`. */
            message: string;
            /** @description What is known of the failure. */
            details: components["schemas"]["ErrorDetail"][];
        };
        /** @description A detail of a failure, of any type. The members beside `@type` are those of Vega's own error detail; other types have others (observed on v0.74 nodes). */
        ErrorDetail: {
            /** @description What the other members are. */
            "@type": string;
            /**
             * Format: int32
             * @description Vega's own number of the failure.
             */
            code?: number;
            /** @description What went wrong. */
            message?: string;
            /** @description What was behind it. */
            inner?: string;
        } & {
            [key: string]: unknown;
        };
    };
    responses: {
        /** @description The node does not understand the request (observed on v0.74 nodes). What is wrong stands in the first of the `details`. */
        BadRequest: {
            headers: {
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "X-Block-Height": components["headers"]["X-Block-Height"];
                "X-Block-Timestamp": components["headers"]["X-Block-Timestamp"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The client went on while it was over the rate limit and is banned for a while (observed on v0.74 nodes). Wait as long as `RateLimit-Retry-After` says, and send nothing meanwhile. */
        Banned: {
            headers: {
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "X-Block-Height": components["headers"]["X-Block-Height"];
                "X-Block-Timestamp": components["headers"]["X-Block-Timestamp"];
                "RateLimit-Retry-After": components["headers"]["RateLimit-Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The rate limit is used up, for all REST clients of the node together; or, with the words `received message larger than max`, the request or its answer is too large, which is no matter of rate (observed on v0.74 nodes). */
        TooManyRequests: {
            headers: {
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "X-Block-Height": components["headers"]["X-Block-Height"];
                "X-Block-Timestamp": components["headers"]["X-Block-Timestamp"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description Something failed within the node. */
        InternalError: {
            headers: {
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "X-Block-Height": components["headers"]["X-Block-Height"];
                "X-Block-Timestamp": components["headers"]["X-Block-Timestamp"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description Any other failure. */
        UnexpectedError: {
            headers: {
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "X-Block-Height": components["headers"]["X-Block-Height"];
                "X-Block-Timestamp": components["headers"]["X-Block-Timestamp"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
    };
    parameters: {
        /**
         * @description Forward paging: how many records to list, those that come after the cursor `pagination.after` or, without one, the first of the list. At most 5000, and 1000 where no size is given (observed on v0.74 nodes).
         * @example 1000
         */
        PaginationFirst: number;
        /**
         * @description Forward paging: the cursor to go on from, which is the `endCursor` of the page before. Not together with `pagination.last` or `pagination.before`.
         * @example Pz8/Pj4+dm90ZSAy
         */
        PaginationAfter: string;
        /**
         * @description Backward paging: how many records to list, those that come before the cursor `pagination.before` or, without one, the last of the list. They stay in the order of the list. At most 5000 (observed on v0.74 nodes).
         * @example 1000
         */
        PaginationLast: number;
        /**
         * @description Backward paging: the cursor to go back from, which is the `startCursor` of the page behind. Not together with `pagination.first` or `pagination.after`.
         * @example Pz8/Pj4+dm90ZSAz
         */
        PaginationBefore: string;
        /**
         * @description Whether the list begins with its newest record. It does when this is left out.
         * @example true
         */
        PaginationNewestFirst: boolean;
    };
    requestBodies: never;
    headers: {
        /**
         * @description Requests a second that the node serves to all its REST clients together (observed on v0.74 nodes).
         * @example 20
         */
        "RateLimit-Limit": number;
        /**
         * @description Requests that are left of the burst (observed on v0.74 nodes).
         * @example 99
         */
        "RateLimit-Remaining": number;
        /**
         * @description Seconds until the allowance grows again (observed on v0.74 nodes).
         * @example 1
         */
        "RateLimit-Reset": number;
        /**
         * @description Seconds until a ban ends (observed on v0.74 nodes).
         * @example 599
         */
        "RateLimit-Retry-After": number;
        /**
         * @description Height of the last block that the node has processed. A node that has fallen behind shows it here alone (observed on v0.74 nodes).
         * @example 1234567
         */
        "X-Block-Height": string;
        /**
         * @description Time of that block, in Unix nanoseconds (observed on v0.74 nodes).
         * @example 1707497689123456000
         */
        "X-Block-Timestamp": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listVotes: {
        parameters: {
            query?: {
                /**
                 * @description The party whose votes to list.
                 * @example 3839f8c82a3e36accef530b124044184b618ff463668744370c77c8134f6f0d1
                 */
                partyId?: string;
                /**
                 * @description The proposal whose votes to list.
                 * @example 22e971ef187286f3238ccf7f6552a1605434b5fc3684ef3b642cf011166b253f
                 */
                proposalId?: string;
                /**
                 * @description Forward paging: how many records to list, those that come after the cursor `pagination.after` or, without one, the first of the list. At most 5000, and 1000 where no size is given (observed on v0.74 nodes).
                 * @example 1000
                 */
                "pagination.first"?: components["parameters"]["PaginationFirst"];
                /**
                 * @description Forward paging: the cursor to go on from, which is the `endCursor` of the page before. Not together with `pagination.last` or `pagination.before`.
                 * @example Pz8/Pj4+dm90ZSAy
                 */
                "pagination.after"?: components["parameters"]["PaginationAfter"];
                /**
                 * @description Backward paging: how many records to list, those that come before the cursor `pagination.before` or, without one, the last of the list. They stay in the order of the list. At most 5000 (observed on v0.74 nodes).
                 * @example 1000
                 */
                "pagination.last"?: components["parameters"]["PaginationLast"];
                /**
                 * @description Backward paging: the cursor to go back from, which is the `startCursor` of the page behind. Not together with `pagination.first` or `pagination.after`.
                 * @example Pz8/Pj4+dm90ZSAz
                 */
                "pagination.before"?: components["parameters"]["PaginationBefore"];
                /**
                 * @description Whether the list begins with its newest record. It does when this is left out.
                 * @example true
                 */
                "pagination.newestFirst"?: components["parameters"]["PaginationNewestFirst"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of votes. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Block-Height": components["headers"]["X-Block-Height"];
                    "X-Block-Timestamp": components["headers"]["X-Block-Timestamp"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListVotesResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Banned"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            default: components["responses"]["UnexpectedError"];
        };
    };
    listPartiesProfiles: {
        parameters: {
            query?: {
                /**
                 * @description The parties whose profiles to list. Left out, all parties are listed.
                 * @example [
                 *       "3839f8c82a3e36accef530b124044184b618ff463668744370c77c8134f6f0d1",
                 *       "7aef29874860afcbd39f3618c280411d4d0197983cb20ee0981a3f37993ce93d"
                 *     ]
                 */
                parties?: string[];
                /**
                 * @description Forward paging: how many records to list, those that come after the cursor `pagination.after` or, without one, the first of the list. At most 5000, and 1000 where no size is given (observed on v0.74 nodes).
                 * @example 1000
                 */
                "pagination.first"?: components["parameters"]["PaginationFirst"];
                /**
                 * @description Forward paging: the cursor to go on from, which is the `endCursor` of the page before. Not together with `pagination.last` or `pagination.before`.
                 * @example Pz8/Pj4+dm90ZSAy
                 */
                "pagination.after"?: components["parameters"]["PaginationAfter"];
                /**
                 * @description Backward paging: how many records to list, those that come before the cursor `pagination.before` or, without one, the last of the list. They stay in the order of the list. At most 5000 (observed on v0.74 nodes).
                 * @example 1000
                 */
                "pagination.last"?: components["parameters"]["PaginationLast"];
                /**
                 * @description Backward paging: the cursor to go back from, which is the `startCursor` of the page behind. Not together with `pagination.first` or `pagination.after`.
                 * @example Pz8/Pj4+dm90ZSAz
                 */
                "pagination.before"?: components["parameters"]["PaginationBefore"];
                /**
                 * @description Whether the list begins with its newest record. It does when this is left out.
                 * @example true
                 */
                "pagination.newestFirst"?: components["parameters"]["PaginationNewestFirst"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of profiles. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Block-Height": components["headers"]["X-Block-Height"];
                    "X-Block-Timestamp": components["headers"]["X-Block-Timestamp"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListPartiesProfilesResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Banned"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            default: components["responses"]["UnexpectedError"];
        };
    };
    getSpamStatistics: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The party whose statistics to get.
                 * @example 3839f8c82a3e36accef530b124044184b618ff463668744370c77c8134f6f0d1
                 */
                partyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The party's counters and limits in the current epoch. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Block-Height": components["headers"]["X-Block-Height"];
                    "X-Block-Timestamp": components["headers"]["X-Block-Timestamp"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpamStatisticsResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Banned"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            default: components["responses"]["UnexpectedError"];
        };
    };
    listBalanceChanges: {
        parameters: {
            query?: {
                /**
                 * @description List only accounts that hold this asset.
                 * @example 91194fdcfd3cc0fd8ce75b312087c2ea4c2cd4ecc466256b8a40c364d076fb77
                 */
                "filter.assetId"?: string;
                /**
                 * @description List only accounts that these parties own. Left out or empty, accounts of all parties are listed.
                 * @example [
                 *       "3839f8c82a3e36accef530b124044184b618ff463668744370c77c8134f6f0d1",
                 *       "7aef29874860afcbd39f3618c280411d4d0197983cb20ee0981a3f37993ce93d"
                 *     ]
                 */
                "filter.partyIds"?: string[];
                /**
                 * @description List only accounts that belong to these markets. Left out or empty, accounts of all markets are listed.
                 * @example [
                 *       "8f2bcd16ebaf73838f02f9710dc6b52464d1c969143c8967f87a2ee288ff8387"
                 *     ]
                 */
                "filter.marketIds"?: string[];
                /**
                 * @description List only accounts of these types. Left out or empty, accounts of all types are listed.
                 * @example [
                 *       "ACCOUNT_TYPE_GENERAL",
                 *       "ACCOUNT_TYPE_MARGIN"
                 *     ]
                 */
                "filter.accountTypes"?: components["schemas"]["AccountType"][];
                /**
                 * @description Start of the range, in Unix nanoseconds. A change at this very time is listed (observed on v0.74 nodes).
                 * @example 1707436800000000000
                 */
                "dateRange.startTimestamp"?: string;
                /**
                 * @description End of the range, in Unix nanoseconds. A change at this very time is not listed (observed on v0.74 nodes).
                 * @example 1707523200000000000
                 */
                "dateRange.endTimestamp"?: string;
                /**
                 * @description Forward paging: how many records to list, those that come after the cursor `pagination.after` or, without one, the first of the list. At most 5000, and 1000 where no size is given (observed on v0.74 nodes).
                 * @example 1000
                 */
                "pagination.first"?: components["parameters"]["PaginationFirst"];
                /**
                 * @description Forward paging: the cursor to go on from, which is the `endCursor` of the page before. Not together with `pagination.last` or `pagination.before`.
                 * @example Pz8/Pj4+dm90ZSAy
                 */
                "pagination.after"?: components["parameters"]["PaginationAfter"];
                /**
                 * @description Backward paging: how many records to list, those that come before the cursor `pagination.before` or, without one, the last of the list. They stay in the order of the list. At most 5000 (observed on v0.74 nodes).
                 * @example 1000
                 */
                "pagination.last"?: components["parameters"]["PaginationLast"];
                /**
                 * @description Backward paging: the cursor to go back from, which is the `startCursor` of the page behind. Not together with `pagination.first` or `pagination.after`.
                 * @example Pz8/Pj4+dm90ZSAz
                 */
                "pagination.before"?: components["parameters"]["PaginationBefore"];
                /**
                 * @description Whether the list begins with its newest record. It does when this is left out.
                 * @example true
                 */
                "pagination.newestFirst"?: components["parameters"]["PaginationNewestFirst"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of balance changes. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Block-Height": components["headers"]["X-Block-Height"];
                    "X-Block-Timestamp": components["headers"]["X-Block-Timestamp"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListBalanceChangesResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Banned"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            default: components["responses"]["UnexpectedError"];
        };
    };
    listNodeSignatures: {
        parameters: {
            query: {
                /**
                 * @description The resource whose signatures to list, such as the id of an asset or of a withdrawal.
                 * @example b79e8c5b67bcad216587877d0fb5a69384a7ad582cfff769572b6eccc51a4ec6
                 */
                id: string;
                /**
                 * @description Forward paging: how many records to list, those that come after the cursor `pagination.after` or, without one, the first of the list. At most 5000, and 1000 where no size is given (observed on v0.74 nodes).
                 * @example 1000
                 */
                "pagination.first"?: components["parameters"]["PaginationFirst"];
                /**
                 * @description Forward paging: the cursor to go on from, which is the `endCursor` of the page before. Not together with `pagination.last` or `pagination.before`.
                 * @example Pz8/Pj4+dm90ZSAy
                 */
                "pagination.after"?: components["parameters"]["PaginationAfter"];
                /**
                 * @description Backward paging: how many records to list, those that come before the cursor `pagination.before` or, without one, the last of the list. They stay in the order of the list. At most 5000 (observed on v0.74 nodes).
                 * @example 1000
                 */
                "pagination.last"?: components["parameters"]["PaginationLast"];
                /**
                 * @description Backward paging: the cursor to go back from, which is the `startCursor` of the page behind. Not together with `pagination.first` or `pagination.after`.
                 * @example Pz8/Pj4+dm90ZSAz
                 */
                "pagination.before"?: components["parameters"]["PaginationBefore"];
                /**
                 * @description Whether the list begins with its newest record. It does when this is left out.
                 * @example true
                 */
                "pagination.newestFirst"?: components["parameters"]["PaginationNewestFirst"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of signatures. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Block-Height": components["headers"]["X-Block-Height"];
                    "X-Block-Timestamp": components["headers"]["X-Block-Timestamp"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListNodeSignaturesResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Banned"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            default: components["responses"]["UnexpectedError"];
        };
    };
    checkTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The signed transaction. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CheckTransactionRequest"];
            };
        };
        responses: {
            /** @description The outcome of the check, whether it was passed or not. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Block-Height": components["headers"]["X-Block-Height"];
                    "X-Block-Timestamp": components["headers"]["X-Block-Timestamp"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransactionCheckResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Banned"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            default: components["responses"]["UnexpectedError"];
        };
    };
}
