import type { Theme } from "vitepress";
import DefaultTheme from "vitepress/theme";
import { defineAsyncComponent, onMounted } from "vue";
import { preloadSearch } from "./preload-search.js";
import { enableSections, reveal } from "./sections.js";
import "./style.css";
import "./search.css";
import "./phones.css";
import "./operations.css";
import "./following.css";
import "./pictures.css";

export default {
  extends: DefaultTheme,
  enhanceApp({ app, router }) {
    // Pages that are also read on GitHub name it without an import.
    app.component(
      "LiveFollower",
      defineAsyncComponent(() => import("./following/LiveFollower.vue")),
    );
    // Pages are written without a browser.
    if (!import.meta.env.SSR) enableSections(router);
  },
  setup() {
    onMounted(() => {
      reveal(location.hash);
      preloadSearch();
    });
  },
} satisfies Theme;
