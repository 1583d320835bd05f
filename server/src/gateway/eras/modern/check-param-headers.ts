import type { IncomingMessage } from 'node:http'
import { decodeHeaderText } from '../../../mcp-client/index.ts'
import type { Gateway } from '../../gateway.ts'
import type { Operation } from '../../operation.ts'
import { paramHeaders } from '../../protocol/param-headers.ts'
import { headerMismatch } from './read-envelope.ts'

/** A routing header must say what the arguments say; only for tools that the agent may call, so that nothing leaks. */
export function checkParamHeaders(
	gateway: Gateway,
	carrier: IncomingMessage,
	{ caller, request }: Operation,
): void {
	const { name, arguments: values } = request.params
	if (typeof name !== 'string') return
	const { tool, refusal } = gateway.enforcement.choose(caller.agentId, caller.serverId, name)
	if (!tool || refusal) return
	for (const [header, expected] of Object.entries(paramHeaders(tool, values))) {
		const given = carrier.headers[header]
		if (typeof given !== 'string') throw headerMismatch(`The header ${header} is missing.`)
		if (decodeHeaderText(given) !== decodeHeaderText(expected))
			throw headerMismatch(`The header ${header} differs from the arguments.`)
	}
}
