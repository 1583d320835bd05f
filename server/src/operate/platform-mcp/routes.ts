import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Access } from '@signalbox/contract'
import { Problem } from '../../platform/errors.ts'
import { type RequestContext, type Route, readBody } from '../../platform/http/index.ts'
import { JsonFault, JsonScan, requestLimits } from '../../platform/json/json-scan.ts'
import { buildServer } from './build-server.ts'
import type { Ingress } from './send-through-ingress.ts'

const bodyBytes = 1024 * 1024

/** Any person and any platform key; which tools they have is a matter of role and scopes. Agents manage nothing. */
const access: Access = { kinds: ['user', 'platform_key'], roleScope: 'workspace:read' }

/** The MCP server of the platform itself. It has no sessions, so there is nothing to GET or DELETE. */
export function platformMcpRoutes(ingress: Ingress, version: string): Route[] {
	return [
		{
			id: 'mcp.platform',
			method: 'POST',
			path: '/mcp/platform',
			slash: true,
			access,
			family: 'mcp',
			handle: (request, response, context) => serve(ingress, version, request, response, context),
		},
	]
}

async function serve(
	ingress: Ingress,
	version: string,
	request: IncomingMessage,
	response: ServerResponse,
	context: RequestContext,
): Promise<void> {
	const body = await readBody(request, bodyBytes)
	requireSound(body)
	// Loaded at first use, so that an instance that nobody manages by MCP does not pay for it.
	const sdk = await import('@modelcontextprotocol/server')
	const handler = sdk.createMcpHandler(() => buildServer(sdk, ingress, version, { request, context }), {
		responseMode: 'json',
		maxSubscriptions: 0,
	})
	const ended = new AbortController()
	response.once('close', () => ended.abort())
	try {
		await send(await handler.fetch(toWeb(request, body, ended.signal)), response)
	} finally {
		await handler.close()
	}
}

/** What reads the message is made for messages that are no attack. */
function requireSound(body: Buffer): void {
	try {
		JsonScan.read(body, { limits: requestLimits })
	} catch (error) {
		throw error instanceof JsonFault ? new Problem('invalid_json', error.message) : error
	}
}

function toWeb({ headers }: IncomingMessage, body: Buffer, signal: AbortSignal): Request {
	const single = Object.entries(headers).flatMap(([name, value]) =>
		value === undefined ? [] : [[name, String(value)] as [string, string]],
	)
	return new Request('http://localhost/mcp/platform', {
		method: 'POST',
		headers: single,
		body: new Uint8Array(body),
		signal,
	})
}

async function send(answer: Response, response: ServerResponse): Promise<void> {
	const bytes = Buffer.from(await answer.arrayBuffer())
	const type = answer.headers.get('content-type')
	response.writeHead(answer.status, {
		...(type && { 'content-type': type }),
		'content-length': bytes.length,
		'cache-control': 'no-store',
	})
	response.end(bytes)
}
