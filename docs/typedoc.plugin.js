import { Converter, ReflectionKind } from "typedoc";
import { MarkdownPageEvent } from "typedoc-plugin-markdown";

/** @typedef {import("typedoc").DeclarationReflection} Declaration */

/**
 * Shortens the pages of the API reference: members of another name are a list of links to the page of that name, and defaults
 * are part of the text.
 *
 * @param {import("typedoc").Application} app
 */
export function load(app) {
  /** The members that each name inherits, as they are on the pages that they are inherited from. @type {Map<unknown, Declaration[]>} */
  const inherited = new Map();

  // After TypeDoc has found what is inherited, before it groups members.
  app.converter.on(
    Converter.EVENT_RESOLVE_END,
    ({ project }) => {
      for (const reflection of Object.values(project.reflections))
        if (reflection.comment) moveDefaults(reflection.comment);
      const names = project.children ?? [];
      const sources = new Map(
        names.flatMap((name) => (name.children ?? []).map((member) => [member, originOf(member)])),
      );
      for (const name of names) {
        // The last signature is the most general one.
        name.signatures?.reverse();
        if (name.extendedTypes?.every(isPrivate)) delete name.typeHierarchy;
        for (const member of [...(name.children ?? [])]) {
          const origin = sources.get(member);
          forgetInheritance(member);
          // Errors are caught, not made.
          const isConstructor = member.kind === ReflectionKind.Constructor;
          if (isConstructor || origin !== undefined) project.removeReflection(member);
          if (!isConstructor && origin !== undefined) inherited.set(name, [...(inherited.get(name) ?? []), origin]);
        }
      }
    },
    -50,
  );

  app.renderer.on(MarkdownPageEvent.END, (page) => {
    const members = inherited.get(page.model) ?? [];
    let bases = "";
    const contents = (page.contents ?? "")
      .replaceAll("\n***\n", "")
      // The name of a member shows it.
      .replaceAll("`optional` **", "**")
      .replace(/^## Extended by\n\n(?:- .*\n)+\n?/m, "")
      .replace(/^## Extends\n\n((?:- .*\n)+)\n?/m, (_, list) => {
        // A base that is not exported has no page.
        const linked = list
          .trim()
          .slice(2)
          .split("\n- ")
          .filter((/** @type {string} */ base) => base.includes("]("));
        bases = `Extends ${linked.join(" and ")}.\n\n`;
        return members.length > 0 ? "" : bases;
      });
    const items = members.map((member) => {
      const url = app.renderer.router?.relativeUrl(page.model, member);
      return `- [\`${nameOf(member)}\`](${url}): ${summaryOf(member)}`;
    });
    const list = items.length > 0 ? `\n## Inherited members\n\n${bases}${items.join("\n")}\n` : "";
    page.contents = contents + list;
  });
}

/**
 * The member of a documented name that a member is inherited from. A member of an error that a base class has, too, differs in
 * its type alone.
 *
 * @param {Declaration} member
 */
function originOf(member) {
  let origin = member;
  for (;;) {
    const { inheritedFrom, overwrites, parent } = origin;
    const next = (
      inheritedFrom ?? (parent?.kindOf(ReflectionKind.Class) && !origin.flags.isStatic ? overwrites : undefined)
    )?.reflection;
    if (!next?.isDeclaration() || next === origin) return origin === member ? undefined : origin;
    origin = next;
  }
}

/** Whether a type is one of this package that it does not export. @param {import("typedoc").SomeType} type */
function isPrivate(type) {
  return type.type === "reference" && !type.reflection && type.package === "vegaprotocol-client";
}

/** @param {Declaration} member */
function forgetInheritance(member) {
  for (const each of [member, ...(member.signatures ?? [])]) {
    delete each.inheritedFrom;
    delete each.overwrites;
  }
}

/** @param {import("typedoc").Comment} comment */
function moveDefaults(comment) {
  for (const tag of comment.getTags("@default")) {
    comment.summary.push({ kind: "text", text: "\n\nDefault: " }, ...tag.content.map(toInlineCode));
  }
  comment.removeTags("@default");
}

/** TypeDoc makes a block of code of a default. @param {import("typedoc").CommentDisplayPart} part */
function toInlineCode(part) {
  return { ...part, text: part.text.replace(/^```ts\n([\s\S]*)\n```$/, "`$1`") };
}

/** @param {Declaration} member */
function nameOf({ name, signatures }) {
  return signatures ? `${name}()` : name;
}

/** The first sentence and the default. @param {Declaration} member */
function summaryOf({ comment, signatures }) {
  const text = ((comment ?? signatures?.[0]?.comment)?.summary ?? []).map((part) => part.text).join("");
  const sentence = /^[\s\S]*?\.(?=\s|$)/.exec(text)?.[0] ?? text;
  const value = /Default: .+/.exec(text)?.[0];
  return [sentence, value].filter(Boolean).join(" ").replaceAll("\n", " ");
}
