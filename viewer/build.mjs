// Bundles src/ and style/ into one HTML template, and the template into a C++ source that the library compiles.
//
//   node build.mjs [OUT]      writes OUT/page_template.html and OUT/page_template.cpp (default: out/)
//
// The bundle refers to no other file and no host.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import * as esbuild from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const out = process.argv[2] ?? join(here, "out");
const STYLES = ["base", "tables", "charts", "graphs", "errors"];
const TARGET = ["chrome100", "firefox100", "safari15"];

export async function makeTemplate() {
  const script = await esbuild.build({
    entryPoints: [join(here, "src/main.ts")], bundle: true, minify: true, format: "iife", target: TARGET, write: false,
    charset: "ascii", legalComments: "none", logLevel: "warning",
  });
  const css = STYLES.map((name) => readFileSync(join(here, "style", `${name}.css`), "utf8")).join("\n");
  const style = await esbuild.transform(css, { loader: "css", minify: true, target: TARGET, logLevel: "warning" });
  const fill = (text, marker, content) => {
    const at = text.indexOf(marker);
    if (at < 0 || text.indexOf(marker, at + 1) >= 0) {
      throw new Error(`template.html must hold ${marker} once`);
    }
    return text.slice(0, at) + content + text.slice(at + marker.length);
  };
  // "</script" would end the element; a regular expression or string may hold it in the form "<\/script".
  const code = script.outputFiles[0].text.trim().replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "<\\!--");
  let template = readFileSync(join(here, "template.html"), "utf8");
  template = fill(template, "/*factorgcn:style*/", style.code.trim());
  return fill(template, "/*factorgcn:script*/", code);
}

/** Raw string literals in pieces: compilers need not take one of any length. */
function asCpp(text) {
  const bytes = [...Buffer.from(text, "utf8")];
  if (bytes.some((byte) => byte > 126)) {
    throw new Error("the template must be ASCII");
  }
  const pieces = text.match(/[\s\S]{1,12000}/g).map((piece) => `    R"__page__(${piece})__page__"`);
  return "// Made by viewer/build.mjs.\n#include <string_view>\n\n#include \"report/viewer/page_template.h\"\n\n" +
         `namespace factorgcn {\n\nconst std::string_view kPageTemplate =\n${pieces.join("\n")};\n\n` +
         "}  // namespace factorgcn\n";
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const template = await makeTemplate();
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, "page_template.html"), template);
  writeFileSync(join(out, "page_template.cpp"), asCpp(template));
}
