import type { Router } from "vitepress";

/** Opens and closes the sections that phones show closed: see `phones.ts`. */
export function enableSections(router: Router): void {
  // Tapping a heading does the same as its button.
  document.addEventListener("click", ({ target }) => {
    if (!(target instanceof Element) || target.closest("a")) return;
    const toggle = target.closest("h2, h3")?.nextElementSibling ?? target;
    if (toggle.matches(".section-toggle")) setOpen(toggle, toggle.getAttribute("aria-expanded") !== "true");
  });
  // A link to a heading of the page.
  window.addEventListener("click", ({ target }) => {
    const link = target instanceof Element ? target.closest("a") : null;
    if (link?.hash && link.pathname === location.pathname) reveal(link.hash);
  });
  window.addEventListener("hashchange", () => reveal(location.hash));
  const { onAfterRouteChange } = router;
  router.onAfterRouteChange = async (to) => {
    await onAfterRouteChange?.(to);
    reveal(location.hash);
  };
}

function setOpen(toggle: Element, isOpen: boolean): void {
  toggle.setAttribute("aria-expanded", `${isOpen}`);
  toggle.nextElementSibling?.classList.toggle("open", isOpen);
}

/** Opens the section of a heading, or around it, and scrolls there. */
export function reveal(hash: string): void {
  const heading = hash.length > 1 ? document.getElementById(decodeURIComponent(hash.slice(1))) : null;
  const section = heading?.closest(".section") ?? heading?.nextElementSibling?.nextElementSibling;
  const toggle = section?.previousElementSibling;
  if (!heading || !toggle?.matches(".section-toggle") || toggle.getAttribute("aria-expanded") === "true") return;
  setOpen(toggle, true);
  // On a desktop, sections are never closed.
  if (getComputedStyle(toggle).display !== "none") heading.scrollIntoView();
}
