import { describe, expect, test } from "vitest";
import { commands } from "../../../src/cli/commands.js";
import { guideTo } from "../../../src/cli/examples.js";
import { runCli } from "../../support/run-cli.js";

const all = commands.flatMap((command) => [command, ...(command.subcommands ?? [])]);

describe.each(all.map((command) => [command.name, command] as const))("the help of %s", (name, command) => {
  test("has a sentence, the usage, flags in groups, examples, exit codes and further commands, in this order", async () => {
    const { code, stdout } = await runCli(["help", ...name.split(" ")]);
    expect(code).toBe(0);
    const [sentence = ""] = stdout.split("\n\n");
    expect(sentence).toMatch(/^[A-Z].*\.$/s);
    const headings = stdout.match(/^[A-Z ]+$/gm) ?? [];
    const order: readonly string[] = [
      "USAGE",
      "COMMANDS",
      "FILTER FLAGS",
      "OUTPUT FLAGS",
      "NODE FLAGS",
      "FLAGS",
      "EXAMPLES",
      "EXIT CODES",
      "SEE ALSO",
    ];
    expect(headings).toEqual(order.filter((heading) => headings.some((each) => each === heading)));
    for (const heading of ["USAGE", "FLAGS", "EXIT CODES"]) expect(headings).toContain(heading);
    if (!command.subcommands) {
      expect(headings).toContain("EXAMPLES");
      expect(guideTo(name).examples.length).toBeGreaterThanOrEqual(2);
      expect(guideTo(name).examples.length).toBeLessThanOrEqual(4);
    }
  });

  test.each([60, 80, 100])("fits a terminal of %i columns, apart from long words", async (terminal) => {
    const { stdout } = await runCli(["help", ...name.split(" ")], { terminal, env: { NO_COLOR: "1" } });
    for (const line of stdout.split("\n")) {
      const longest = Math.max(...line.split(" ").map((word) => word.length));
      if (line.length > terminal)
        expect({ line, longest }).toEqual({
          line,
          longest: expect.toSatisfy((length) => Number(length) > terminal / 3),
        });
    }
  });
});

test("the headings of the help are bold on a terminal", async () => {
  const { stdout } = await runCli(["help"], { terminal: 80 });
  expect(stdout).toContain("\x1b[1mENVIRONMENT VARIABLES\x1b[22m");
  for (const name of ["VEGA_NODE", "HTTPS_PROXY", "NO_PROXY", "NODE_EXTRA_CA_CERTS", "NO_COLOR"])
    expect(stdout).toContain(name);
});
