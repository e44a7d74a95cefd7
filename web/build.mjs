// Makes the page: one script, one style, one document, in dist/.
import { build } from "esbuild";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";

rmSync("dist", { recursive: true, force: true });
mkdirSync("dist");
await build({
  entryPoints: ["src/main.ts"],
  outfile: "dist/app.js",
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  legalComments: "none",
});
writeFileSync("dist/style.css",
  readFileSync("node_modules/uplot/dist/uPlot.min.css", "utf8") + readFileSync("src/style.css", "utf8"));
copyFileSync("src/index.html", "dist/index.html");
