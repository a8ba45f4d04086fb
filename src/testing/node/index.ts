export { type FakeNodeServer, type ListenOptions, listen } from "./listen.js";
