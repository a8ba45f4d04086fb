import { run } from "./suite.mjs";

export default {
  async fetch(request) {
    const node = new URL(request.url).searchParams.get("node");
    return Response.json(node === null ? [] : await run(node));
  },
};
