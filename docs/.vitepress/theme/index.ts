import TwoslashFloatingVue from "@shikijs/vitepress-twoslash/client";
import type { Theme } from "vitepress";
import DefaultTheme from "vitepress/theme";
import { defineAsyncComponent, h, onMounted } from "vue";
import CopyMarkdown from "./CopyMarkdown.vue";
import { preloadSearch } from "./preload-search.js";
import RunSample from "./RunSample.vue";
import { enableSections, reveal } from "./sections.js";
import "@shikijs/vitepress-twoslash/style.css";
import "./style.css";
import "./search.css";
import "./phones.css";
import "./following.css";
import "./pictures.css";

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { "doc-before": () => h(CopyMarkdown) }),
  enhanceApp({ app, router }) {
    app.use(TwoslashFloatingVue);
    // Pages that are also read on GitHub name it without an import.
    app.component(
      "LiveFollower",
      defineAsyncComponent(() => import("./following/LiveFollower.vue")),
    );
    app.component("RunSample", RunSample);
    // Pages are written without a browser.
    if (!import.meta.env.SSR) enableSections(router);
  },
  setup() {
    onMounted(() => {
      reveal(location.hash);
      preloadSearch();
      // Paper is white.
      const { classList } = document.documentElement;
      addEventListener("beforeprint", () => classList.replace("dark", "dark-screen"));
      addEventListener("afterprint", () => classList.replace("dark-screen", "dark"));
    });
  },
} satisfies Theme;
