import type { IncomingMessage } from 'node:http'
import type { RequestContext } from '../../platform/http/index.ts'

/** Where a sign-in comes from. */
export interface Caller {
	address: string
	userAgent: string
	requestId: string
}

export function callerOf(request: IncomingMessage, context: RequestContext): Caller {
	return {
		address: context.clientAddress,
		userAgent: (request.headers['user-agent'] ?? '').slice(0, 300),
		requestId: context.requestId,
	}
}
