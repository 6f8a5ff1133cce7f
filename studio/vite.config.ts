import { defineConfig } from "vite";

// The page is served from any folder (127.0.0.1, or the playground in the documentation), so its addresses are relative.
export default defineConfig({
  base: "./",
  build: {
    outDir: "../python/penstock/studio/static",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
  },
  worker: { format: "es" },
  server: { fs: { allow: [".."] } },
});
