import { QueryClient } from "@tanstack/react-query";
import { Problem } from "./client";

/** Answers stay fresh until the server says that a run grew (live.ts); a wrong question is not asked twice. */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Number.POSITIVE_INFINITY,
        gcTime: 120_000,
        refetchOnWindowFocus: false,
        retry: (failures, error) =>
          !(error instanceof Problem && error.status >= 400 && error.status < 500) && failures < 3,
      },
    },
  });
}
