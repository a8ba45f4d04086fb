import { ConnectionError } from "../errors/connection-error.js";
import { describe } from "../errors/describe.js";

/**
 * Returns a function that loads a module when it is first called. Once the module is there, it is returned without a promise.
 *
 * What is kept is the module and not the promise of the one who loads it: workerd cancels a request that waits for another one.
 *
 * @throws {@link ConnectionError} if the module cannot be loaded, as after a bundle was replaced on its server.
 */
// @__NO_SIDE_EFFECTS__
export function onDemand<Module>(load: () => Promise<Module>): () => Module | Promise<Module> {
  let loaded: Module | undefined;
  const start = async () => {
    try {
      loaded = await load();
      return loaded;
    } catch (cause) {
      throw new ConnectionError(`Part of vegaprotocol-client could not be loaded: ${describe(cause)}`, { cause });
    }
  };
  return () => loaded ?? start();
}
