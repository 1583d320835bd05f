import type { ServerEntry } from '../../servers/index.ts'
import type { JsonObject, RpcResponse } from '../json-rpc/message.ts'
import { envelope } from '../protocol/envelope.ts'
import { encodeHeaderText, nameHeaderOf } from '../protocol/header-text.ts'
import { paramHeaders } from '../protocol/param-headers.ts'
import { passedCapabilities } from '../questions.ts'
import { modernTaskCapability } from '../tasks/task-capability.ts'
import { relayedHeaders, relayedMeta } from './meta.ts'
import { relayNotification } from './relay-notification.ts'
import { type SendContext, sendRequest } from './send.ts'
import { isSamePlace } from './target.ts'
import type { Reach, Upstream, UpstreamCall } from './upstream.ts'
import { UpstreamSubscription } from './upstream-subscription.ts'

const version = '2026-07-28'

/** Servers of 2026-07-28 and later: each request stands alone. */
export function createModernUpstream(context: SendContext, nextId: () => number): Upstream {
	const ears = new Map<string, UpstreamSubscription>()
	const earOf = (server: ServerEntry, reach: Reach) => {
		const key = `${server.id} ${server.credentialOwner ?? ''}`
		const known = ears.get(key)
		if (known && isSamePlace(known.server, server)) return known
		known?.close()
		const method = 'subscriptions/listen'
		const ear = new UpstreamSubscription(context, server, reach, () => ({
			id: nextId(),
			headers: modernHeaders(method, {}),
			meta: ownMeta(),
		}))
		ears.set(key, ear)
		return ear
	}
	return {
		request: (call) => request(context, call, nextId()),
		listen: (server, _client, hear, reach) => earOf(server, reach).listen(hear),
		prune: (isKnown) => {
			for (const [key, ear] of ears) {
				if (isKnown(ear.server) && !ear.isIdle) continue
				ear.close()
				ears.delete(key)
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
			...relayedHeaders(operation.trace),
		},
		idleMs: context.limits.idleMs,
		cancellation: operation.cancellation,
		sending: operation.sending,
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
		...relayedMeta(params, id, trace),
		[envelope.protocolVersion]: version,
		...(typeof client.info.name === 'string' && { [envelope.clientInfo]: client.info }),
		[envelope.clientCapabilities]:
			client.era === 'modern'
				? client.capabilities
				: capabilitiesForUs(client.capabilities, task !== undefined),
		...(client.logLevel !== null && { [envelope.logLevel]: client.logLevel }),
	}
}

function capabilitiesForUs(capabilities: JsonObject, knowsTasks: boolean): JsonObject {
	const passed = passedCapabilities(capabilities)
	if (!knowsTasks) return passed
	return { ...passed, extensions: { ...(passed.extensions as object), ...modernTaskCapability.extensions } }
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
