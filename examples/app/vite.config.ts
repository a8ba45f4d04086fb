import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  plugins: [react()],
  // In this repository, the package is a link to the build of the project.
  server: { fs: { allow: [".", "../.."] } },
});
