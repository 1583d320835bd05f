import {
	envelope,
	isSamePlace,
	type JsonObject,
	modernHeaders,
	modernVersions,
	ownMeta,
	type RpcResponse,
	sendRequest,
} from '../../mcp-client/index.ts'
import type { ServerEntry } from '../../servers/index.ts'
import { type ClientProgram, takeBegun } from '../operation.ts'
import { paramHeaders } from '../protocol/param-headers.ts'
import { passedCapabilities } from '../questions.ts'
import { modernTaskCapability } from '../tasks/task.ts'
import {
	type Reach,
	relayedHeaders,
	relayedMeta,
	relayNotification,
	type Upstream,
	type UpstreamCall,
	type UpstreamContext,
} from './upstream.ts'
import { UpstreamSubscription } from './upstream-subscription.ts'

const [version] = modernVersions

/** Servers of 2026-07-28 and later: each request stands alone. */
export function createModernUpstream(context: UpstreamContext, nextId: () => number): Upstream {
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
		request: (call) => request(context, call, nextId),
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

async function request(
	context: UpstreamContext,
	call: UpstreamCall,
	nextId: () => number,
): Promise<RpcResponse> {
	const { operation, server, params } = call
	const { method } = operation.request
	const begun = takeBegun(operation)
	const id = begun?.id ?? nextId()
	const meta = relayedMeta(params, id, operation.trace)
	const { response } = await sendRequest(context, {
		server,
		id,
		method,
		params: { ...params, _meta: modernMeta(operation, meta, operation.task !== undefined) },
		headers: {
			...modernHeaders(method, params),
			...(call.tool && paramHeaders(call.tool, params.arguments)),
			...relayedHeaders(operation.trace),
		},
		idleMs: context.limits.idleMs,
		cancellation: operation.cancellation,
		sending: operation.sending,
		begun,
		onNotification: (notification) => {
			const message = relayNotification(operation, notification, id)
			return message === null || operation.reply.notify(message)
		},
		drain: (resume) => operation.reply.onDrain(resume),
	})
	return response
}

/** The client speaks for itself: its name and, in its own era, what it can do. A legacy client is asked for it by us. */
export function modernMeta(
	{ client }: { client: ClientProgram },
	relayed: JsonObject,
	knowsTasks: boolean,
): JsonObject {
	return {
		...relayed,
		[envelope.protocolVersion]: version,
		...(typeof client.info.name === 'string' && { [envelope.clientInfo]: client.info }),
		[envelope.clientCapabilities]:
			client.era === 'modern' ? client.capabilities : capabilitiesForUs(client.capabilities, knowsTasks),
		...(client.logLevel !== null && { [envelope.logLevel]: client.logLevel }),
	}
}

function capabilitiesForUs(capabilities: JsonObject, knowsTasks: boolean): JsonObject {
	const passed = passedCapabilities(capabilities)
	if (!knowsTasks) return passed
	return { ...passed, extensions: { ...(passed.extensions as object), ...modernTaskCapability.extensions } }
}
