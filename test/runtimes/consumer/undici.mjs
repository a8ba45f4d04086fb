// The entry for Node.js alone, with undici installed beside it.
import { createClient } from "vegaprotocol-client";
import { undiciFetch } from "vegaprotocol-client/undici";

const [, , baseUrl] = process.argv;
const connect = (mood, options) => createClient({ baseUrl: baseUrl + mood, fetch: undiciFetch(), ...options });

const tests = {
  "a walk": async () => {
    const records = await connect("")
      .listPartiesProfiles({ pagination: { first: 100 } }, { maxItems: 100 })
      .toArray();
    if (records.length !== 100) throw new Error(`${records.length} records`);
  },
  "a check": async () => {
    await connect("").checkTransaction({ tx: { pubKey: "a" } });
  },
  "another attempt": async () => {
    await connect("/flaky", { retry: { baseDelay: 1 } }).listPartiesProfiles({ pagination: { first: 1 } });
  },
  "a deadline": async () => {
    const call = connect("/slow", { timeout: 50, retry: false }).listPartiesProfiles();
    const { name } = await call.then(
      () => ({ name: "nothing" }),
      (error) => error,
    );
    if (name !== "TimeoutError") throw new Error(name);
  },
};

const results = [];
for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
    results.push({ name, error: null });
  } catch (error) {
    results.push({ name, error: String(error) });
  }
}
console.log(JSON.stringify(results));
