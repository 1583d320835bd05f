import type { ServerResponse } from 'node:http'
import { toProblemDocument } from '../errors.ts'
import type { RefusalWriter } from './route.ts'

/** Sends one JSON document with a length, closing nothing. */
export function sendJson(
	response: ServerResponse,
	status: number,
	body: unknown,
	contentType = 'application/json',
): void {
	const bytes = Buffer.from(JSON.stringify(body))
	response.writeHead(status, {
		'content-type': contentType,
		'content-length': bytes.length,
		'cache-control': 'no-store',
	})
	response.end(bytes)
}

/** RFC 9457, the shape of the platform API and of pages. */
export const refuseWithProblem: RefusalWriter = (_request, response, problem, requestId) => {
	sendJson(response, problem.status, toProblemDocument(problem, requestId), 'application/problem+json')
}
