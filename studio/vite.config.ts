import { defineConfig, type Plugin } from "vite";

/** Puts scripts and styles into the page itself: a browser reads no others beside a file. */
function inOneFile(): Plugin {
  return {
    name: "in-one-file",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = Object.values(bundle).find((each) => each.fileName.endsWith(".html"));
      if (page?.type !== "asset") throw new Error("there is no page");
      let text = String(page.source);
      for (const each of Object.values(bundle).filter((other) => other !== page)) {
        const [tag, element] =
          each.type === "chunk"
            ? [/<script [^>]*src="[^"]*"[^>]*><\/script>/, `<script type="module">${inScript(each.code)}</script>`]
            : [/<link rel="stylesheet"[^>]*>/, `<style>${String(each.source)}</style>`];
        if (!tag.test(text)) throw new Error(`${each.fileName} has no place in the page`);
        text = text.replace(tag, () => element);
        delete bundle[each.fileName];
      }
      page.source = text;
    },
  };
}

/** Code as it may stand in an element. Vite leaves its marker where an import needs no other file. */
function inScript(code: string): string {
  return code.replaceAll("__VITE_PRELOAD__", "void 0").replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
}

// The page is served from any folder (127.0.0.1, or the playground in the documentation), so its addresses are relative.
// `--mode file` builds the page that Share saves: one file, to which the served page adds the engine.
export default defineConfig(({ mode }) => {
  const isFile = mode === "file";
  return {
    base: "./",
    build: {
      outDir: "../python/penstock/studio/static",
      emptyOutDir: !isFile,
      target: "es2022",
      modulePreload: { polyfill: false },
      assetsInlineLimit: isFile ? Infinity : 0,
      chunkSizeWarningLimit: isFile ? Infinity : 900,
      rolldownOptions: isFile ? { input: "file.html", output: { codeSplitting: false } } : {},
    },
    plugins: isFile ? [inOneFile()] : [],
    worker: { format: isFile ? "iife" : "es" },
    server: { fs: { allow: [".."] } },
  };
});
