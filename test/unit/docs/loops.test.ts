import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const loops = new URL("../../../cli/test/slow/serve/loops/", import.meta.url);
const page = readFileSync(new URL("../../../docs/serve.md", import.meta.url), "utf8");

test.each(readdirSync(loops))("the page of the gateway has the loop of %s, as it is tested", (name) => {
  expect(page).toContain(readFileSync(new URL(name, loops), "utf8"));
});
