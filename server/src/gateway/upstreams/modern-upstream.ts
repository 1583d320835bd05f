import { traceparentOf } from '../../platform/trace/index.ts'
import type { ServerEntry } from '../../servers/index.ts'
import type { JsonObject, RpcResponse } from '../json-rpc/message.ts'
import { envelope } from '../protocol/envelope.ts'
import { encodeHeaderText, nameHeaderOf } from '../protocol/header-text.ts'
import { paramHeaders } from '../protocol/param-headers.ts'
import { askableCapabilities } from '../questions.ts'
import { modernTaskCapability } from '../tasks/task-capability.ts'
import { relayedMeta } from './meta.ts'
import { ModernEar } from './modern-ear.ts'
import { relayNotification } from './relay-notification.ts'
import { type SendContext, sendRequest } from './send.ts'
import { isSameTarget } from './target.ts'
import type { Upstream, UpstreamCall } from './upstream.ts'

const version = '2026-07-28'

/** Servers of 2026-07-28 and later: each request stands alone. */
export function createModernUpstream(context: SendContext, nextId: () => number): Upstream {
	const ears = new Map<string, ModernEar>()
	const earOf = (server: ServerEntry) => {
		const known = ears.get(server.id)
		if (known && isSameTarget(known.server, server)) return known
		known?.close()
		const method = 'subscriptions/listen'
		const ear = new ModernEar(context, server, () => ({
			id: nextId(),
			headers: modernHeaders(method, {}),
			meta: ownMeta(),
		}))
		ears.set(server.id, ear)
		return ear
	}
	return {
		request: (call) => request(context, call, nextId()),
		listen: (server, _client, hear) => earOf(server).listen(hear),
		prune: (isKnown) => {
			for (const [id, ear] of ears) {
				if (isKnown(ear.server) && !ear.isIdle) continue
				ear.close()
				ears.delete(id)
			}
		},
		close: async () => {
			for (const ear of ears.values()) ear.close()
		},
	}
}

async function request(context: SendContext, call: UpstreamCall, id: number): Promise<RpcResponse> {
	const { operation, server, params } = call
	const { method } = operation.request
	const { response } = await sendRequest(context, {
		server,
		id,
		method,
		params: { ...params, _meta: modernMeta(call, id) },
		headers: {
			...modernHeaders(method, params),
			...(call.tool && paramHeaders(call.tool, params.arguments)),
			traceparent: traceparentOf(operation.trace),
		},
		idleMs: context.limits.idleMs,
		cancellation: operation.cancellation,
		onNotification: (notification) => {
			const message = relayNotification(operation, notification, id)
			return message === null || operation.reply.notify(message)
		},
		drain: (resume) => operation.reply.onDrain(resume),
	})
	return response
}

/** The client speaks for itself: its name and, in its own era, what it can do. A legacy client is asked for it by us. */
function modernMeta({ operation: { client, trace, task }, params }: UpstreamCall, id: number): JsonObject {
	return {
		...relayedMeta(params, id, traceparentOf(trace)),
		[envelope.protocolVersion]: version,
		...(typeof client.info.name === 'string' && { [envelope.clientInfo]: client.info }),
		[envelope.clientCapabilities]:
			client.era === 'modern'
				? client.capabilities
				: { ...askableCapabilities(client.capabilities), ...(task && modernTaskCapability) },
		...(client.logLevel !== null && { [envelope.logLevel]: client.logLevel }),
	}
}

function modernHeaders(method: string, params: JsonObject): Record<string, string> {
	const name = nameHeaderOf(method, params)
	return {
		'mcp-protocol-version': version,
		'mcp-method': method,
		...(name !== undefined && { 'mcp-name': encodeHeaderText(name) }),
	}
}

/** For what the gateway asks in its own name. */
function ownMeta(): JsonObject {
	return {
		[envelope.protocolVersion]: version,
		[envelope.clientCapabilities]: {},
		[envelope.clientInfo]: { name: 'signalbox', version: '1' },
	}
}
