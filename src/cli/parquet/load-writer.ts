import { UsageError } from "../exit.js";

/** The package that writes Parquet, which is installed only by those who need it. */
export async function loadWriter(): Promise<typeof import("hyparquet-writer")> {
  try {
    return await import("hyparquet-writer");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new UsageError(
      "Parquet needs the package hyparquet-writer. Install it beside vegaprotocol-client: npm install hyparquet-writer@0.17.0",
    );
  }
}
