import { run } from "./suite.mjs";

export default {
  async fetch(request) {
    return Response.json(await run(new URL(request.url).searchParams.get("node")));
  },
};
