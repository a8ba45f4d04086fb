import { Converter, ReflectionKind, UnknownType } from "typedoc";
import { MarkdownPageEvent } from "typedoc-plugin-markdown";

/**
 * Shortens the pages of the API reference: a member is listed once, at the name that declares it, and a default is a part of its
 * description.
 *
 * @param {import("typedoc").Application} app
 */
export function load(app) {
  // After TypeDoc has found what is inherited, before it groups members.
  app.converter.on(
    Converter.EVENT_RESOLVE_END,
    ({ project }) => {
      const all = Object.values(project.reflections);
      // Members of a name that has no page, such as `OperationMethods`, are listed at the names that inherit them.
      const listed = new Set(all.filter((each) => each.isDeclaration() && each.inheritedFrom?.reflection));
      for (const reflection of all) {
        if (reflection.comment) moveDefaults(reflection.comment);
        if (!reflection.isDeclaration()) continue;
        // The type of a generated table is as long as the table.
        if (reflection.getFullName() === "vegaprotocol-client/operations.operations")
          reflection.type = new UnknownType("Readonly<Record<OperationId, Operation>>");
        // The last signature is the most general one.
        if (reflection.kindOf(ReflectionKind.Function)) reflection.signatures?.reverse();
        // Tables do not name where a member comes from either.
        for (const signature of reflection.signatures ?? []) delete signature.inheritedFrom;
        // Errors are caught, not made.
        const isConstructor = reflection.kindOf(ReflectionKind.Constructor);
        if (isConstructor || listed.has(reflection)) project.removeReflection(reflection);
      }
    },
    -50,
  );
  app.renderer.on(MarkdownPageEvent.END, (page) => {
    const { contents = "" } = page;
    page.contents = contents
      // Headings have a line above them already.
      .replaceAll(/\n\*\*\*\n/g, "")
      // The defaults of the other type parameters of iterables.
      .replaceAll(", `any`, `any`", "")
      // `& {}` is for editors: without it, they do not complete the names in a union with `string`.
      .replaceAll("`string` & \\{ \\}", "`string`");
  });
}

/** @param {import("typedoc").Comment} comment */
function moveDefaults(comment) {
  for (const tag of comment.getTags("@default")) {
    comment.summary.push({ kind: "text", text: " Default: " }, ...tag.content.map(toInlineCode));
  }
  comment.removeTags("@default");
}

/** TypeDoc makes a block of code of a default. @param {import("typedoc").CommentDisplayPart} part */
function toInlineCode(part) {
  return { ...part, text: part.text.replace(/^```ts\n([\s\S]*)\n```$/, "`$1`.") };
}
