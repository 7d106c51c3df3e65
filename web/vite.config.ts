// Builds the page of the studio into the package, where the server finds it.
import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  build: {
    outDir: "../src/plaintree/app/studio/static",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    // The licences of what is built in ask for their text to go with it.
    license: { fileName: "licenses.md" },
    // An image in a data: address would need a wider policy of content.
    assetsInlineLimit: 0,
  },
});
