import { Converter } from "typedoc";

/** TypeDoc calls a page after its file: here it gets the words of its first heading. @param {import("typedoc").Application} app */
export function load(app) {
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_, page) => {
    const [, title] = /^# (.+)$/m.exec(page.content.map(({ text }) => text).join("")) ?? [];
    if (title) page.name = title;
  });
}
