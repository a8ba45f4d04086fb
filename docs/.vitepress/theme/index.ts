import type { Theme } from "vitepress";
import DefaultTheme from "vitepress/theme";
import { theme, useOpenapi } from "vitepress-openapi/client";
import "vitepress-openapi/dist/style.css";
import "./style.css";
import "./pictures.css";
import spec from "../generated/openapi.json";

export default {
  extends: DefaultTheme,
  enhanceApp(context) {
    useOpenapi({ spec });
    theme.enhanceApp(context);
  },
} satisfies Theme;
