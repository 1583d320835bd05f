import { cancelAll, cancelRunning } from './eras/legacy/cancel-running.ts'
import { resumeSubscriptions } from './eras/legacy/subscribe.ts'
import type { Gateway } from './gateway.ts'
import type { Letter } from './letters.ts'

/** Acts on what another program tells, if this one is concerned. */
export function takeLetter(gateway: Gateway, letter: Letter): void {
	gateway.forwarded.take(gateway, letter)
	if (!('sessionId' in letter)) return
	if (letter.kind === 'aside') return void gateway.streams.send(letter.sessionId, letter.message)
	const session = gateway.sessions.cached(letter.sessionId)
	if (!session) return
	if (letter.kind === 'answer') gateway.questions.answer(session, letter.response)
	if (letter.kind === 'cancel') cancelRunning(session, letter.requestId)
	if (letter.kind !== 'session') return
	gateway.sessions
		.reread(session)
		.then(async (known) => {
			if (!known) {
				if (session.isLine) cancelAll(session)
				gateway.streams.close(letter.sessionId)
				await gateway.upstreams.leave(session.client)
			} else if (gateway.streams.has(letter.sessionId)) await resumeSubscriptions(gateway, known)
		})
		.catch((error: unknown) => gateway.log.warn({ err: error }, 'gateway: a session was not read anew'))
}
