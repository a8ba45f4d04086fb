// The package has ES modules alone: `require` of them works from Node.js 20.19 on.
const { createClient, ApiError } = require("vegaprotocol-client");
const { createFakeNode } = require("vegaprotocol-client/testing");

const node = createFakeNode();
createClient({ baseUrl: "https://node.example", fetch: node.fetch })
  .listPartiesProfiles({ pagination: { first: 5001 } })
  .then(undefined, (error) => {
    const name = "refuses a page that is too large";
    console.log(JSON.stringify([{ name, error: ApiError.is(error) ? null : String(error) }]));
  });
