/** As much of markdown-it as is used here. */
interface Markdown<T> {
  renderer: { rules: { code_inline?: Render<T> | undefined } };
}

type Render<T> = (tokens: T[], index: number, ...others: never[]) => string;

const path = /^[\w.*=-]+(?:\/[\w.*=-]+)+\/?$/;
const flags = /(?<![\w-])--?[a-z][a-z-]*/g;

/** Breaks lines within a path after a `/` only, and not within a flag: browsers break after any `-`. */
export function breakInlineCode<T extends { content: string }>(markdown: Markdown<T>): void {
  const { code_inline: render } = markdown.renderer.rules;
  if (render === undefined) throw new Error("Expected markdown-it to render inline code.");
  markdown.renderer.rules.code_inline = (tokens, index, ...others) => {
    const content = tokens[index]?.content ?? "";
    const step = (text: string) => `<span class="step">${text}</span>`;
    const shown = path.test(content)
      ? content
          .split(/(?<=\/)/)
          .map(step)
          .join("<wbr>")
      : content.replaceAll(flags, step);
    return render(tokens, index, ...others).replace(content, () => shown);
  };
}
