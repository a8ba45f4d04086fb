import searchIndex from "@localSearchIndex";

/** Loads the search once the page is idle, so that the first result does not wait for it. */
export function preloadSearch(): void {
  const load = async () => {
    await Promise.all([
      import("vitepress/dist/client/theme-default/components/VPLocalSearchBox.vue"),
      searchIndex["root"]?.(),
    ]);
  };
  // Safari does not have it.
  if ("requestIdleCallback" in window) requestIdleCallback(load, { timeout: 1000 });
  else setTimeout(load);
}
