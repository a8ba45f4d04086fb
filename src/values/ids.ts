/** An id as nodes return it: hexadecimal in lower case. Names such as `network` and `XYZalpha` keep their case. */
export const canonicalId = (id: string): string => (/^(?:[0-9a-f]{2})+$/i.test(id) ? id.toLowerCase() : id);
