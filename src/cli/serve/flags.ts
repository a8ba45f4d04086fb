import { type Flag, inGroup, nodeFlags } from "../flags.js";

/** Flags of `serve`. */
export const serveFlags: readonly Flag[] = [
  ...nodeFlags,
  ...inGroup("NODE FLAGS", [
    {
      name: "max-lag",
      value: "TIME",
      text: "How far a response may be behind the other nodes, in block time. Default: 2s.",
    },
  ]),
  ...inGroup("FLAGS", [
    { name: "port", value: "N", text: "The port to listen on; 0 is a free one. Default: 8080." },
    { name: "host", value: "HOST", text: "The address to listen on; 0.0.0.0 is all of them. Default: 127.0.0.1." },
    {
      name: "cors",
      value: "ORIGIN",
      multiple: true,
      text: "An origin whose pages may read responses, as in https://page.example, or * for all. Default: none.",
    },
    {
      name: "caller-rate",
      value: "N",
      text: "How many requests in a second one address may send, with bursts of five times as many; 0 is any number. Default: 50.",
    },
    {
      name: "trust-proxy",
      text: "Take the address of the caller from the last entry of X-Forwarded-For. Only behind a proxy that sets it.",
    },
    {
      name: "cache-size",
      value: "MIB",
      text: "The memory of pages that do not change any more; 0 for none. Default: 64.",
    },
    {
      name: "grace",
      value: "TIME",
      text: "How long requests in flight may take after SIGTERM or Ctrl-C. Default: 10s.",
    },
    { name: "quiet", short: "q", text: "Print no line for each request, apart from those with status 500." },
  ]),
];
