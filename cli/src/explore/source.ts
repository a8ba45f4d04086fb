/** Where the records of the page come from. */
export interface Source {
  readonly isCopy: boolean;
  readonly names: readonly string[];
  /** Whether the records go back to the first block of the network. */
  readonly completeHistory: boolean;
  /** The lists of a copy, with the Unix nanoseconds between which they are complete. */
  readonly stored?: readonly {
    readonly list: string;
    readonly query: { readonly proposalId?: string; readonly filter?: object };
    readonly start?: string;
    readonly position?: string;
  }[];
  readonly proposals: readonly string[];
  /** The governance tokens that exist, in the smallest unit, if that is known. */
  readonly totalSupply?: string | undefined;
}
