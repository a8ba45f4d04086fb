import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.js";
import { connect } from "./connection.js";
import "./style.css";

const root = createRoot(document.getElementById("root") as HTMLElement);
try {
  const connection = await connect();
  // The data of a block change once a second at most.
  const queryClient = new QueryClient({
    defaultOptions: { queries: { staleTime: 10_000, refetchOnWindowFocus: false } },
  });
  root.render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <App connection={connection} />
      </QueryClientProvider>
    </StrictMode>,
  );
} catch (error) {
  // An invalid address of a node.
  root.render(
    <main>
      <p className="notice failure" role="alert">
        {error instanceof Error ? error.message : String(error)} <a href="./">Use the fake node</a>
      </p>
    </main>,
  );
}
