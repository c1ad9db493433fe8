// Runs the tests of test/ with node's own runner.
//
//   node test.mjs unit                   test/unit: logic, no browser
//   node test.mjs browser [TEMPLATE]     test/browser: the page in Chromium; exits 77 (skipped) where there is none
//
// FACTORGCN_CHROMIUM names another browser. Tests are bundled first: node 18 and 20 do not read TypeScript.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

import * as esbuild from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const kind = process.argv[2] ?? "unit";

function findBrowser() {
  if (process.env.FACTORGCN_CHROMIUM) {
    return process.env.FACTORGCN_CHROMIUM;
  }
  for (const name of ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]) {
    for (const folder of (process.env.PATH ?? "").split(delimiter)) {
      if (folder !== "" && existsSync(join(folder, name))) {
        return join(folder, name);
      }
    }
  }
  return null;
}

const environment = { ...process.env, FACTORGCN_VIEWER: here };
if (kind === "browser") {
  const browser = findBrowser();
  if (browser === null) {
    console.log("skipped: there is no Chromium (Debian: apt-get install chromium)");
    process.exit(77);
  }
  environment.FACTORGCN_CHROMIUM = browser;
  environment.FACTORGCN_TEMPLATE = process.argv[3] ?? join(here, "out/page_template.html");
}

mkdirSync(join(here, "out"), { recursive: true });
const bundles = mkdtempSync(join(here, "out/test-"));
const folder = join(here, "test", kind);
await esbuild.build({
  entryPoints: readdirSync(folder).filter((name) => name.endsWith(".test.ts")).map((name) => join(folder, name)),
  outdir: bundles, bundle: true, platform: "node", format: "esm", outExtension: { ".js": ".mjs" },
  external: ["playwright-core"], logLevel: "warning",
});
const files = readdirSync(bundles).map((name) => join(bundles, name));
const result = spawnSync(process.execPath, ["--test", "--test-reporter=spec", ...files],
                         { stdio: "inherit", env: environment });
rmSync(bundles, { recursive: true, force: true });
process.exit(result.status ?? 1);
