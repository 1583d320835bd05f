import type { ServerResponse } from 'node:http'
import { createRequire } from 'node:module'

// An ES import would also load Node's own fetch, which is not used here and takes 14 MB.
export const http = createRequire(import.meta.url)('node:http') as typeof import('node:http')

const nothing = Buffer.alloc(0)

/**
 * Sends the head of a response before its body. Node's `flushHeaders` writes the head as UTF-8, so that a byte beyond ASCII in a
 * header value would become two; with bytes, even none, it writes each as it is.
 */
export function flushHead(response: ServerResponse): void {
	response.write(nothing)
}
