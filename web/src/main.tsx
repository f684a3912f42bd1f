import "@fontsource-variable/inter";
import "@fontsource-variable/jetbrains-mono";
import "./styles/tokens.css";
import "./styles/base.css";

import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { loadVocabulary } from "./api/fields";
import { makeQueryClient } from "./api/queryClient";
import { App } from "./app/App";
import { Crash } from "./app/Crash";
import { applyTheme } from "./state/theme";

applyTheme();

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
const page = createRoot(root);
const render = (): void =>
  page.render(
    <StrictMode>
      <QueryClientProvider client={makeQueryClient()}>
        <Crash>
          <App />
        </Crash>
      </QueryClientProvider>
    </StrictMode>,
  );
// Without the words for fields the page still opens, and says itself what the server did not answer.
loadVocabulary().then(render, render);
