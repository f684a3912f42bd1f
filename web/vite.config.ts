import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// Where a running `rollscope view` answers while the page itself comes from Vite's development server.
const server = process.env.ROLLSCOPE_URL ?? "http://127.0.0.1:8080";

export default defineConfig({
  // Relative URLs: the built page works below any prefix, whether or not a proxy strips it.
  base: "./",
  plugins: [react()],
  build: {
    outDir: "../src/rollscope/server/static",
    emptyOutDir: true,
    target: "es2022",
    // Fonts stay files: the content security policy has no data: URLs for them.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { checks: { bundlerTimings: false, pluginTimings: false } },
  },
  server: { proxy: { "/api": server, "/healthz": server } },
  test: { environment: "node", include: ["src/**/*.test.{ts,tsx}"] },
});
