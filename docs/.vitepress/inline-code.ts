/** As much of markdown-it as is used here. */
interface Markdown<T> {
  renderer: { rules: { code_inline?: Render<T> | undefined } };
}

type Render<T> = (tokens: T[], index: number, ...others: never[]) => string;

const path = /^[\w.*-]+(?:\/[\w.*-]+)+\/?$/;
const flag = /^--?[a-z][a-z-]*$/;

/** Breaks lines within a path after a `/` only, and not within a flag: browsers break after any `-`. */
export function breakInlineCode<T extends { content: string }>(markdown: Markdown<T>): void {
  const { code_inline: render } = markdown.renderer.rules;
  if (render === undefined) throw new Error("Expected markdown-it to render inline code.");
  markdown.renderer.rules.code_inline = (tokens, index, ...others) => {
    const html = render(tokens, index, ...others);
    const content = tokens[index]?.content ?? "";
    const steps = content.split(/(?<=\/)/).map((step) => `<span class="step">${step}</span>`);
    if (path.test(content)) return html.replace(content, steps.join("<wbr>"));
    return flag.test(content) ? html.replace("<code", '<code class="flag"') : html;
  };
}
