/** What VitePress makes of the pages, by the language. */
declare module "@localSearchIndex" {
  const index: Readonly<Record<string, () => Promise<{ default: string }>>>;
  export default index;
}

declare module "*.vue" {
  import type { Component } from "vue";

  const component: Component;
  export default component;
}

declare module "virtual:samples" {
  type Sample = { run(console: { log(...values: unknown[]): void }): Promise<void> };
  export const samples: Readonly<Record<string, () => Promise<Sample>>>;
}
