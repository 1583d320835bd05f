import type { IncomingMessage, ServerResponse } from 'node:http'
import { otherAgentName } from '@signalbox/contract'
import { throughChannel } from '../../platform/change-scope.ts'
import type { RequestContext } from '../../platform/http/index.ts'
import type { Field, PlatformTool } from './chosen-operations.ts'

/** A request of the platform API, without its credential. */
interface ApiRequest {
	method: string
	url: string
	/** JSON, or null without a body. */
	body: string | null
}

/** The arguments cannot become a request; the text is for the model. */
export class BadArguments extends Error {}

/** The request that a call of a tool stands for. Values are judged by the operation itself. */
export function requestOfCall(
	{ chosen: { operation }, fields: shown }: PlatformTool,
	values: Readonly<Record<string, unknown>>,
): ApiRequest {
	const fields = withOtherNames(shown)
	refuseUnknown(fields, values)
	const given = (place: Field['place']) =>
		fields.filter((field) => field.place === place && values[field.name] !== undefined)
	const url = operation.path.replaceAll(/\{(\w+)\}/g, (_, own: string) =>
		encodeURIComponent(pathValue(fields, values, own)),
	)
	const query = new URLSearchParams(
		given('query').flatMap(({ own, name }) =>
			textsOf(values[name]).map((text): [string, string] => [own, text]),
		),
	).toString()
	const body = Object.fromEntries(given('body').map(({ own, name }) => [own, values[name]]))
	return {
		method: operation.method,
		url: query ? `${url}?${query}` : url,
		body: operation.body ? JSON.stringify(body) : null,
	}
}

/** With the names that the operation takes beside those of its schema. */
function withOtherNames(fields: readonly Field[]): readonly Field[] {
	const others = Object.entries(otherAgentName).flatMap(([own, name]) => {
		const field = fields.find((one) => one.name === own && one.place !== 'path')
		return field && !fields.some((one) => one.name === name) ? [{ ...field, name, own: name }] : []
	})
	return [...fields, ...others]
}

function refuseUnknown(fields: readonly Field[], values: object): void {
	const unknown = Object.keys(values).filter((name) => !fields.some((field) => field.name === name))
	if (unknown.length > 0) throw new BadArguments(`There is no argument ${unknown.join(', ')}.`)
}

function pathValue(fields: readonly Field[], values: Readonly<Record<string, unknown>>, own: string): string {
	const name = fields.find((field) => field.place === 'path' && field.own === own)?.name ?? own
	const value = values[name]
	// Dots would be taken for another path.
	if (typeof value === 'string' && /^[^./]/.test(value)) return value
	throw new BadArguments(`The argument ${name} is needed, as text.`)
}

function textsOf(value: unknown): string[] {
	return (Array.isArray(value) ? value : [value]).map(String)
}

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
