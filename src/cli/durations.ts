/** Shows milliseconds as seconds, minutes, hours or days. */
export function describeDuration(milliseconds: number): string {
  if (milliseconds === Number.POSITIVE_INFINITY) return "ever";
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return withRest(minutes, "m", seconds % 60, "s");
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? withRest(hours, "h", minutes % 60, "m") : withRest(Math.floor(hours / 24), "d", hours % 24, "h");
}

const withRest = (whole: number, unit: string, rest: number, restUnit: string) =>
  rest === 0 ? `${whole}${unit}` : `${whole}${unit} ${rest}${restUnit}`;
