import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, win32 } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tryLink } from "../../../../src/cli/files/lock.js";
import { replaceFile } from "../../../../src/cli/files/replace-file.js";
import { resumeCommand } from "../../../../src/cli/files/resume-command.js";
import { readSuffixes } from "../../../../src/cli/files/target.js";
import { Interruption, interruptSignals } from "../../../../src/cli/io.js";
import { parquetManifestOf, placesOf } from "../../../../src/cli/parquet/plan.js";

const failure = (code: string) => Object.assign(new Error(`${code}: operation not permitted`), { code });

/** A `rename` that fails with these errors, one after the other, and then works. */
function system(platform: NodeJS.Platform, ...codes: string[]) {
  const renamed: string[] = [];
  const waits: number[] = [];
  return {
    renamed,
    waits,
    platform,
    rename: async (from: string, to: string) => {
      const code = codes.shift();
      if (code !== undefined) throw failure(code);
      renamed.push(`${from} ${to}`);
    },
    wait: async (milliseconds: number) => void waits.push(milliseconds),
  };
}

describe("a file that replaces another one", () => {
  test("waits on Windows while another program reads the earlier one", async () => {
    const windows = system("win32", "EPERM", "EACCES", "EBUSY");
    await replaceFile("a.partial", "a", windows);
    expect(windows.renamed).toEqual(["a.partial a"]);
    expect(windows.waits).toEqual([10, 30, 100]);
  });

  test("fails on Windows with what to do, if a program keeps the earlier one open", async () => {
    const windows = system("win32", ...Array<string>(7).fill("EBUSY"));
    const error = await replaceFile("a.partial", "C:\\data\\a.csv", windows).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      message: "Cannot replace C:\\data\\a.csv: another program has it open. Close it there, and repeat the command.",
      cause: { code: "EBUSY" },
    });
    expect(windows.renamed).toEqual([]);
  });

  test.each([
    ["linux", "EPERM"],
    ["darwin", "EACCES"],
    ["win32", "ENOENT"],
    ["win32", "ENOSPC"],
  ] as const)("fails at once for what waiting does not change: %s, %s", async (platform, code) => {
    const other = system(platform, code);
    await expect(replaceFile("a.partial", "a", other)).rejects.toMatchObject({ code });
    expect(other.waits).toEqual([]);
  });
});

describe("a lock", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "link-"));
    await writeFile(join(folder, "temporary"), "owner");
  });
  afterAll(() => rm(folder, { recursive: true }));

  const files = () => [join(folder, "temporary"), join(folder, "lock")] as const;
  const fails = (code: string) => async () => {
    throw failure(code);
  };

  test.each(["EPERM", "ENOTSUP", "ENOSYS", "EISDIR"])("is written on a file system without links: %s", async (code) => {
    const [temporary, path] = files();
    const write = (content: Buffer) => writeFile(path, content, { flag: "wx" });
    expect(await tryLink(temporary, path, { link: fails(code), write })).toBe(true);
    expect(await readFile(path, "utf8")).toBe("owner");
    expect(await tryLink(temporary, path, { link: fails(code), write })).toBe(false);
    await rm(path);
  });

  test.each(["EPERM", "EACCES", "EBUSY"])("is not free while Windows removes an earlier one: %s", async (code) => {
    const [temporary, path] = files();
    expect(await tryLink(temporary, path, { link: fails("EPERM"), write: fails(code) })).toBe(false);
  });

  test("fails for any other error", async () => {
    const [temporary, path] = files();
    await expect(tryLink(temporary, path, { link: fails("EROFS"), write: fails("EROFS") })).rejects.toThrow("EROFS");
    await expect(tryLink(temporary, path, { link: fails("EPERM"), write: fails("ENOSPC") })).rejects.toThrow("ENOSPC");
  });
});

describe("paths of Windows", () => {
  test.each([
    ["C:\\data\\changes.csv", "csv", undefined],
    ["..\\changes.v2\\votes.ndjson.gz", "ndjson", "gz"],
    ["C:\\data.d\\changes", "ndjson", undefined],
  ])("have the suffix of their last name: %s", (path, format, compression) => {
    expect(readSuffixes({ kind: "file", path, isLink: false }, undefined)).toEqual({ format, compression });
  });

  test("lead from a manifest, whose names have slashes, to the files of a folder", () => {
    const plan = { output: "changes", partition: "day" } as Parameters<typeof placesOf>[0];
    const { relative } = placesOf(plan, { name: "date=2024-02-09", start: 0n, end: 1n });
    expect(relative).toBe("date=2024-02-09/part.parquet");
    const manifest = win32.join("C:\\exports", parquetManifestOf("changes"));
    expect(win32.join(win32.dirname(manifest), relative)).toBe("C:\\exports\\changes\\date=2024-02-09\\part.parquet");
  });

  test.each([
    ["C:\\my data\\", '"C:\\my data\\\\"'],
    ["C:\\data\\a.csv", '"C:\\data\\a.csv"'],
    ['a "b"', '"a \\"b\\""'],
    ["a.csv", "a.csv"],
  ])("are quoted in the command that continues: %s", (path, quoted) => {
    const command = resumeCommand(["balances", "--output", path], "--resume", "win32");
    expect(command).toBe(`vegaprotocol-client balances --output ${quoted} --resume`);
  });
});

test("each signal that interrupts the program has its exit code, also that of Ctrl-Break", () => {
  const codes = interruptSignals.map((name) => [name, new Interruption(name).exitCode]);
  expect(codes).toEqual([
    ["SIGHUP", 129],
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGBREAK", 149],
  ]);
});
