import { readFileSync } from "node:fs";

/** As much of markdown-it as is used here. */
interface Renderer<Token, Rest extends unknown[]> {
  renderer: {
    rules: { image?: ((tokens: Token[], index: number, ...rest: Rest) => string) | undefined };
  };
}

interface Image {
  content: string;
  attrGet(name: string): string | null;
}

const folder = new URL("../pictures/", import.meta.url);

/**
 * Renders images of `docs/pictures` as elements of the page, so that they take its font and its colors, which `pictures.css`
 * sets. As an image, a picture follows the setting of the system and not the switch of the site.
 */
export function inlinePictures<Token extends Image, Rest extends unknown[]>({
  renderer: { rules },
}: Renderer<Token, Rest>): void {
  const { image } = rules;
  rules.image = (tokens, index, ...rest) => {
    const token = tokens[index];
    const [, name] = /^pictures\/([\w-]+\.svg)$/.exec(token?.attrGet("src") ?? "") ?? [];
    if (token && name) return inlined(readFileSync(new URL(name, folder), "utf8"), token.content);
    return image?.(tokens, index, ...rest) ?? "";
  };
}

/** The picture without its own style, and with the text of the page that describes it in place of its title. */
export function inlined(svg: string, description: string): string {
  const label = description.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  return svg
    .replace(/\s*<title>.*?<\/title>/s, "")
    .replace(/\s*<style>.*?<\/style>/s, "")
    .replace("<svg ", () => `<svg aria-label="${label}" `);
}
