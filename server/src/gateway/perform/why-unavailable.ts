import { type RpcFailure, upstreamFailure } from '../../mcp-client/index.ts'
import type { ServerEntry } from '../../servers/index.ts'
import type { Gateway } from '../gateway.ts'
import type { TokenOwner } from '../operation.ts'

/**
 * Why a server that an agent may use has no tool for it, so that nobody reads that there is no such tool: somebody has to
 * agree first, or the server was never reached. Null when its tools are known.
 */
export function whyNoTools(gateway: Gateway, server: ServerEntry, whom: TokenOwner): RpcFailure | null {
	if (server.tools.length > 0) return null
	const consent = gateway.upstreams.missingConsent(server, whom)
	if (consent || server.areToolsKnown) return consent
	// What a program says when it ends may hold anything, and is for who manages it.
	const trouble = server.program ? 'Its program did not start, or did not answer.' : server.trouble
	const text = [
		'was never reached, so its tools are not known.',
		trouble ?? 'It is being asked for the first time.',
	]
	return upstreamFailure(server, 'upstream_unreachable', text.join(' '))
}
