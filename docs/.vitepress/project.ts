/** Where the project is on the web. */
export interface Project {
  /** The page of the repository on GitHub. */
  repository: string;
  /** The documentation site, on GitHub Pages. */
  site: string;
}

/** The project that `repository` of package.json names, which is the one place; `undefined` if it names none on GitHub. */
export function projectOf(repository: string | { url?: string } | undefined): Project | undefined {
  const address = (typeof repository === "string" ? repository : repository?.url) ?? "";
  const pattern = /^(?:github:|(?:git\+)?https:\/\/github\.com\/)([\w-]+)\/([\w.-]+?)(?:\.git)?$/;
  const [, owner, name] = pattern.exec(address) ?? [];
  if (owner === undefined || name === undefined) return undefined;
  const host = `${owner.toLowerCase()}.github.io`;
  return {
    repository: `https://github.com/${owner}/${name}`,
    site: name.toLowerCase() === host ? `https://${host}/` : `https://${host}/${name}/`,
  };
}

/** The file that a page is written from; `undefined` if a page has several, such as one of the API reference. */
export function sourceOf(page: string): string | undefined {
  if (page === "changelog.md") return "CHANGELOG.md";
  if (page.startsWith("operations/")) return "openapi.yaml";
  return page.startsWith("api/") ? undefined : `docs/${page}`;
}

/** A tag of the head of a page. */
export type Tag = [name: string, attributes: Record<string, string>];

/** What other sites show of a link to a page: <https://ogp.me>. They read absolute addresses alone. */
export function previewTags(page: { title: string; description: string; path: string }, { site }: Project): Tag[] {
  const tags = {
    "og:type": "website",
    "og:title": page.title,
    "og:description": page.description,
    "og:url": site + page.path,
    "og:image": `${site}preview.png`,
    "og:image:width": "1200",
    "og:image:height": "630",
    "og:image:alt": "vegaprotocol-client: complete data from Vega nodes",
    "twitter:card": "summary_large_image",
  };
  return Object.entries(tags).map(([property, content]) => ["meta", { property, content }]);
}
