export const transportNames = { http: 'Streamable HTTP', sse: 'HTTP+SSE', stdio: 'program (stdio)' } as const
