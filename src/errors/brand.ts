/**
 * A program can load this package twice, as ES modules and as CommonJS, and then has two classes of each name. A registered
 * symbol on the prototype is the same in both copies.
 */
const symbolOf = (name: string) => Symbol.for(`vegaprotocol-client.${name}`);

/** Marks an error class, so that its `is` and `instanceof` recognize the instances of every copy of the package. */
export function brand(errorClass: { readonly prototype: object }, name: string): void {
  Object.defineProperty(errorClass.prototype, symbolOf(name), { value: true });
  Object.defineProperty(errorClass, "is", { value: (error: unknown) => isBranded(error, name) });
  Object.defineProperty(errorClass, Symbol.hasInstance, {
    // A class that a caller derives inherits this.
    value(this: object, error: unknown): boolean {
      return this === errorClass ? isBranded(error, name) : Function.prototype[Symbol.hasInstance].call(this, error);
    },
  });
}

/** Returns whether a value is an instance of the named class, from this or another copy of the package. */
export function isBranded(error: unknown, name: string): boolean {
  try {
    return typeof error === "object" && error !== null && symbolOf(name) in error;
  } catch {
    // A proxy can throw, whatever is read.
    return false;
  }
}
