/** The ids in examples: a fake node with the default seed has records of them. */
export const exampleIds = {
  party: "2f166fdafb0e52176bc7dc26f492c4f06fc1b869c53e6da5b936324a3df8d18f",
  asset: "fdf6c740e53075e212c6eac7913dc0c252da69fb6f562e973b7e7dea8b646c7b",
  proposal: "f6f6901e050ff367ac337ee965f6af306317f0840cbccad5915f03e766ee22a5",
  resource: "2714a8b0c56afeaeb511b3017f7e85d188055092a2d702c4febff7be8bf6556b",
};

/** An id as nodes return it: hexadecimal in lower case. */
export const canonicalId = (id: string): string => (/^(?:[\da-f]{2})+$/i.test(id) ? id.toLowerCase() : id);
