import {
	Cancellation,
	eraOf,
	type JsonObject,
	parseJsonText,
	upstreamFailure,
} from '../../mcp-client/index.ts'
import { newSpanId, newTraceId } from '../../platform/ids.ts'
import type { ServerEntry } from '../../servers/index.ts'
import type { Operation, TokenOwner } from '../operation.ts'
import { askNobody } from '../questions.ts'
import type { Reply } from '../reply.ts'
import type { Upstreams } from '../upstreams/upstreams.ts'

/** Nobody listens. */
const silence: Reply = {
	notify: () => true,
	onDrain: () => {},
	beat: () => {},
	end: () => {},
	takesMessages: false,
	bytes: 0,
}

/** Asks a server something for all who share the authorization that goes along; rejects as a call of theirs would. */
export async function askServer(
	upstreams: Upstreams,
	server: ServerEntry,
	whom: TokenOwner,
	method: string,
	params: JsonObject,
	withinMs: number,
): Promise<JsonObject> {
	const operation = ownOperation(server, whom, method, params)
	const late = () => upstreamFailure(server, 'timeout', 'did not answer in time.')
	const timer = setTimeout(() => operation.cancellation.cancel(late()), withinMs)
	try {
		const { json } = await upstreams.request({ operation, server, params, tool: null })
		return parseJsonText(json) as JsonObject
	} finally {
		clearTimeout(timer)
	}
}

/** In the words of the server's own era, so that nothing is translated. */
function ownOperation(server: ServerEntry, whom: TokenOwner, method: string, params: JsonObject): Operation {
	const { workspaceId } = server
	const protocolVersion = server.protocolVersion ?? ''
	return {
		caller: {
			principal: { kind: 'platform_key', keyId: '', name: 'signalbox', workspaceId, scopes: new Set() },
			credentialId: '',
			workspaceId,
			agentId: whom.agentId,
			userId: whom.userId,
			serverId: server.id,
		},
		client: {
			era: eraOf(protocolVersion),
			protocolVersion,
			info: { name: 'signalbox', version: '1' },
			capabilities: {},
			logLevel: null,
			sessionLabel: '',
		},
		request: { kind: 'request', id: 0, method, params },
		trace: { traceId: newTraceId(), spanId: newSpanId(), parentSpanId: '', traceState: '', flags: 0 },
		requestBytes: 0,
		clientAddress: '',
		reply: silence,
		cancellation: new Cancellation(),
		ask: askNobody,
		asking: 0,
		sending: { isSent: false },
		isRetry: false,
	}
}
