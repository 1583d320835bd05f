import type { IncomingMessage, ServerResponse } from 'node:http'
import { throughChannel } from '../../platform/change-channel.ts'
import type { RequestContext } from '../../platform/http/index.ts'
import type { ApiRequest } from './request-of-call.ts'

export type Ingress = (request: IncomingMessage, response: ServerResponse) => void

export interface ApiAnswer {
	status: number
	/** JSON, or '' */
	text: string
}

/** The caller's credential in each of its forms, and what a proxy trusts. No cookie: those are for pages of ours. */
const carried = ['authorization', 'x-service-api-key', 'x-api-key', 'host', 'traceparent', 'tracestate']

/**
 * Sends a request through our own ingress as the caller who asked for it: credential, role or scope, address, rate limit,
 * validation, audit and every other rule are those of the platform API, since it is the platform API.
 */
export async function sendThroughIngress(
	ingress: Ingress,
	{ method, url, body }: ApiRequest,
	caller: IncomingMessage,
	{ clientAddress, requestId }: Pick<RequestContext, 'clientAddress' | 'requestId'>,
): Promise<ApiAnswer> {
	const { inject } = await import('light-my-request')
	const headers = {
		...Object.fromEntries(
			carried.flatMap((name) => (caller.headers[name] ? [[name, caller.headers[name]]] : [])),
		),
		'x-request-id': requestId,
		...(body !== null && { 'content-type': 'application/json' }),
	}
	const request = {
		method: method as 'GET',
		url,
		headers,
		remoteAddress: clientAddress,
		...(body !== null && { payload: body }),
	}
	return throughChannel(
		'mcp',
		() =>
			new Promise((resolve, reject) => {
				inject(ingress, request, (error, answer) =>
					error || !answer
						? reject(error ?? new Error('The ingress gave no answer.'))
						: resolve({ status: answer.statusCode, text: answer.payload }),
				)
			}),
	)
}
