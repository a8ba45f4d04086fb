import type { Theme } from "vitepress";
import DefaultTheme from "vitepress/theme";
import "./style.css";
import "./operations.css";
import "./pictures.css";

export default { extends: DefaultTheme } satisfies Theme;
