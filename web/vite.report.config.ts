// Builds the living report as one script and one style, which Python writes into the file.
import { defineConfig } from "vite";

export default defineConfig({
  build: {
    outDir: "../src/plaintree/app/studio/static",
    emptyOutDir: false,
    target: "es2022",
    lib: { entry: "src/report.tsx", formats: ["iife"], name: "plaintreeReport" },
    rollupOptions: {
      output: { entryFileNames: "report.js", assetFileNames: "report.[ext]" },
    },
  },
});
