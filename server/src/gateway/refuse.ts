import { errorMessage, toFailure } from '../mcp-client/index.ts'
import type { RefusalWriter } from '../platform/http/index.ts'

/** Refuses a request of the MCP family: a JSON-RPC error without id under the problem's HTTP status. */
export const refuseMcp: RefusalWriter = (_request, response, problem, requestId) => {
	const bytes = Buffer.from(errorMessage(null, toFailure(problem, requestId)))
	response.writeHead(problem.status, {
		'content-type': 'application/json',
		'content-length': bytes.length,
		'cache-control': 'no-store',
	})
	response.end(bytes)
}
