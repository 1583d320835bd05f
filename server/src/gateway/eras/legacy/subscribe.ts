import { invalidRequest } from '../../../mcp-client/index.ts'
import type { Gateway } from '../../gateway.ts'
import type { Operation } from '../../operation.ts'
import { askForResource } from '../../perform/parts/find-resource.ts'
import { planWithResource } from '../../perform/parts/read-resource.ts'
import { ownResult, type Plan, refuseWith } from '../../perform/plan.ts'
import type { ClientSession } from './session-store.ts'

const subscriptionsMost = 1000

/** `resources/subscribe`: for who may read the resource, at a server of either era; the session remembers it. */
export function planSubscribe(gateway: Gateway, session: ClientSession, operation: Operation): Plan {
	const { uri } = operation.request.params
	if (typeof uri !== 'string' || uri === '') return refuseWith(invalidRequest('`uri` must be text.'))
	if (session.subscriptions.size >= subscriptionsMost)
		return refuseWith(invalidRequest(`A session has at most ${subscriptionsMost} subscriptions.`))
	const plan = planWithResource(gateway, operation, uri, () => ({}))
	const run = async () => {
		const choice = await askForResource(gateway, operation.caller, uri)
		const refused = gateway.enforcement.refusalOfPart(session.agentId, choice.server, {
			resource: choice.uri,
		})
		if (refused) throw refused
		await gateway.streams.earOf(session).subscribe(uri, choice)
		session.subscriptions.add(uri)
		await gateway.sessions.save(session)
		await gateway.peerMessages.send(session, { kind: 'session', sessionId: session.id })
		return ownResult({})
	}
	return { ...plan, run }
}

/** `resources/unsubscribe`, which everybody may who could subscribe. */
export function planUnsubscribe(gateway: Gateway, session: ClientSession, operation: Operation): Plan {
	const { uri } = operation.request.params
	if (typeof uri !== 'string') return refuseWith(invalidRequest('`uri` must be text.'))
	return {
		server: null,
		tool: '',
		refusal: () => gateway.enforcement.refusalOfAgent(session.agentId),
		run: async () => {
			await gateway.streams.earOf(session).unsubscribe(uri)
			if (session.subscriptions.delete(uri)) await gateway.sessions.save(session)
			await gateway.peerMessages.send(session, { kind: 'session', sessionId: session.id })
			return ownResult({})
		},
	}
}

/** A client that comes back, to this program or another one, goes on with what it was subscribed to. */
export async function resumeSubscriptions(gateway: Gateway, session: ClientSession): Promise<void> {
	const ear = gateway.streams.earOf(session)
	for (const uri of ear.uris) if (!session.subscriptions.has(uri)) await ear.unsubscribe(uri)
	const missing = [...session.subscriptions].filter((uri) => !ear.uris.includes(uri))
	await Promise.allSettled(
		missing.map(async (uri) => ear.subscribe(uri, await askForResource(gateway, session, uri))),
	)
}
