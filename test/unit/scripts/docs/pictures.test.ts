import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { inlined, inlinePictures } from "../../../../docs/.vitepress/pictures.js";
import { type Chart, describe, draw } from "../../../../scripts/docs/charts.js";
import { pictures } from "../../../../scripts/docs/pictures.js";

const docs = new URL("../../../../docs/", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, docs), "utf8");

const names = readdirSync(new URL("pictures/", docs)).filter((name) => name.endsWith(".svg"));
const images = readdirSync(docs)
  .filter((name) => name.endsWith(".md"))
  .flatMap((page) => [...read(page).matchAll(/!\[([^\]]*)\]\(([^)]*)\)/g)])
  .map(([, description = "", file = ""]) => ({ description, file }));

const chart: Chart = {
  title: "Time & space",
  unit: "Seconds",
  groups: [
    {
      title: "Calls",
      bars: [
        { name: "fetch", value: 100, text: "100 s", isOwn: false },
        { name: "vegaprotocol-client", value: 50, text: "50 s", isOwn: true },
        { name: "none", value: 0, text: "0 s", isOwn: false },
      ],
    },
  ],
  conditions: "Node.js",
};

test("the pictures and the descriptions of the charts are current with the style and the benchmarks", async () => {
  for (const [file, text] of await pictures()) {
    expect(read(file), `${file}: run \`npx tsx scripts/docs/pictures.ts\``).toBe(text);
  }
});

test("the pages show every picture, and describe it", () => {
  expect([...new Set(images.map(({ file }) => file))].sort()).toEqual(names.map((name) => `pictures/${name}`));
  for (const { description } of images) expect(description).toMatch(/^.{40,}\.$/);
});

test.each(names)(
  "the picture %s has a title, and needs no other file and no id, which could be on the page already",
  (name) => {
    const svg = read(`pictures/${name}`);
    expect(svg).toMatch(/<title>.{5,}<\/title>/);
    expect(svg).not.toMatch(/<script|href|url\(|\sid=/);
  },
);

test.each(names)("the picture %s is inlined without its style and its title", (name) => {
  const svg = inlined(read(`pictures/${name}`), 'An "A" & <B>');
  expect(svg).toMatch(/^<svg aria-label="An &quot;A&quot; &amp; &lt;B>" /);
  expect(svg).toContain('role="img"');
  expect(svg).not.toMatch(/<style|<title|<script/);
});

test("images of the pictures are inlined with their description, and other images are not", () => {
  const md = { renderer: { rules: { image: () => "<img>" } } };
  inlinePictures(md);
  const render: (tokens: { content: string; attrGet(name: string): string }[], index: number) => string =
    md.renderer.rules.image;
  const image = (src: string) => ({ content: "Lost records.", attrGet: () => src });
  const tokens = [image("pictures/page-border.svg"), image("logo.svg")];
  expect(render(tokens, 0)).toMatch(/^<svg aria-label="Lost records\."/);
  expect(render(tokens, 1)).toBe("<img>");
});

test("the bars of a chart are as long as their figures", () => {
  const svg = draw(chart);
  const [first, second, ...rest] = [...svg.matchAll(/<rect class="(\w+)" .*?width="(\d+)"/g)]
    .map(([, shape, width]) => ({ shape, width: Number(width) }))
    .filter(({ shape }) => shape !== "background");
  expect(first?.shape).toBe("plain");
  expect(second).toEqual({ shape: "solid", width: (first?.width ?? 0) / 2 });
  expect(rest).toEqual([]);
  expect(svg).toContain("<title>Time &amp; space</title>");
});

test("the description of a chart has all its figures", () => {
  expect(describe(chart)).toBe(
    "Bar chart. Time & space. Seconds. Calls: fetch 100 s, vegaprotocol-client 50 s, none 0 s. Node.js.",
  );
});
