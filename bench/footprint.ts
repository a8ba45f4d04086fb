import { fileURLToPath } from "node:url";
import { bundle } from "../scripts/bundle.js";
import { compile, consumers } from "../scripts/check/consumers.js";
import { median, type Report, round } from "./measure.js";

const here = fileURLToPath(new URL(".", import.meta.url));

/** What a consumer's program costs the compiler. */
export async function types(): Promise<Report[]> {
  const rounds = 5;
  const rows: Report["rows"] = {};
  for (const calls of [6, 300]) {
    const times: Record<string, number[]> = {};
    for (let number = 0; number <= rounds; number++) {
      for (const [name, program] of Object.entries(consumers)) {
        const { instantiations, milliseconds } = compile(program(calls / 6));
        rows[`${name}, ${calls} calls`] = { instantiations, "check, ms": 0 };
        if (number > 0) times[name] = [...(times[name] ?? []), milliseconds];
      }
    }
    for (const [name, all] of Object.entries(times)) {
      const row = rows[`${name}, ${calls} calls`];
      if (row) row["check, ms"] = round(median(all));
    }
  }
  return [{ title: `Type check of a consumer's program, ${rounds} rounds`, rows }];
}

/** What a page in a browser loads for one read by each client. */
export async function sizes(): Promise<Report[]> {
  const programs: Record<string, string> = {
    "openapi-fetch": 'export { default } from "openapi-fetch";',
    "hey-api": 'export { getSpamStatistics } from "./generated/sdk.gen.ts";',
    ky: 'export { default } from "ky";',
    axios: 'export { default } from "axios";',
    "vegaprotocol-client": 'export { createClient } from "../dist/src/index.js";',
    "vegaprotocol-client/validate": 'export { validateAnswers } from "../dist/src/validate/index.js";',
  };
  const rows: Report["rows"] = {};
  for (const [name, program] of Object.entries(programs)) {
    const { minified, gzip } = await bundle(program, here);
    rows[name] = { "minified, kB": round(minified / 1000), "gzip, kB": round(gzip / 1000) };
  }
  return [{ title: "Size of a bundle", rows }];
}
