import { cancelAll, cancelRunning } from './eras/legacy/cancel-running.ts'
import { resumeSubscriptions } from './eras/legacy/subscribe.ts'
import type { Gateway } from './gateway.ts'
import type { PeerMessage } from './peer-messages.ts'

/** Acts on what another program tells, if this one is concerned. */
export function handlePeerMessage(gateway: Gateway, peerMessage: PeerMessage): void {
	gateway.forwarded.take(gateway, peerMessage)
	if (!('sessionId' in peerMessage)) return
	if (peerMessage.kind === 'aside')
		return void gateway.streams.send(peerMessage.sessionId, peerMessage.message)
	const session = gateway.sessions.cached(peerMessage.sessionId)
	if (!session) return
	if (peerMessage.kind === 'answer') gateway.questions.answer(session, peerMessage.response)
	if (peerMessage.kind === 'cancel') cancelRunning(session, peerMessage.requestId)
	if (peerMessage.kind !== 'session') return
	gateway.sessions
		.reread(session)
		.then(async (known) => {
			if (!known) {
				if (session.isLine) cancelAll(session)
				gateway.streams.close(peerMessage.sessionId)
				await gateway.upstreams.leave(session.client)
			} else if (gateway.streams.has(peerMessage.sessionId)) await resumeSubscriptions(gateway, known)
		})
		.catch((error: unknown) => gateway.log.warn({ err: error }, 'gateway: a session was not read anew'))
}
