import { readFileSync, readlinkSync } from "node:fs";

/**
 * What distinguishes a process from every other one that has, had or will have its id: the boot of the machine, the
 * namespace of process ids, and the tick at which the process began. `undefined` if there is no such process, or if the system
 * does not show it.
 */
export function identityOf(pid: number): string | undefined {
  const stat = readStat(pid);
  return stat && `${contextOf()} ${stat.startTick}`;
}

/** Reads what Linux shows of a process. */
function readStat(pid: number): { state: string; startTick: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program, in parentheses, can contain spaces.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", startTick: fields[19] ?? "" };
  } catch {
    return undefined;
  }
}

/** Where the ids of processes are those that this process sees. */
const contextOf = () =>
  `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`;

/**
 * Returns whether a process of this host runs.
 *
 * @param identity - As {@link identityOf} returned it in that process.
 */
export function isRunning(pid: number, identity?: string): boolean {
  const [boot, namespace] = identity?.split(" ") ?? [];
  const [ownBoot, ownNamespace] = identityOf(process.pid)?.split(" ") ?? [];
  if (boot !== undefined && ownBoot !== undefined) {
    if (boot !== ownBoot) return false;
    // A container of the same name: its processes cannot be seen from here.
    if (namespace !== ownNamespace) return true;
  }
  // A zombie has ended: its parent, as the first process of a container, may never ask for its exit code.
  if (!exists(pid) || readStat(pid)?.state === "Z") return false;
  const current = identityOf(pid);
  return identity === undefined || current === undefined || current === identity;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process of another user.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
