import { type BodyOf, type OutputOf, type sharingOperations, tokenPrefixes } from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import { hashToken, isToken } from '../../../platform/crypto/token.ts'
import { Problem } from '../../../platform/errors.ts'
import { readSession } from '../sessions/read-session.ts'
import type { SharingContext } from './context.ts'
import { findShareByToken, isSharingOn, type ShareRow } from './repository.ts'

type Operation = (typeof sharingOperations)['open']
type Shared = OutputOf<Operation>
type Session = Awaited<ReturnType<typeof readSession>>

/** What a link shows. Throws `share_invalid`, the same for whatever reason it shows nothing. */
export async function openShare(
	sharing: SharingContext,
	{ token, ...page }: BodyOf<Operation>,
): Promise<Shared> {
	const share = await findOpenShare(sharing, token)
	const access = share.messages === 1 ? 'allowed' : 'not_shared'
	const session = await readSession(sharing, share.workspace_id, share.session_id, page, access).catch(
		(error: unknown) => {
			throw error instanceof Problem && error.code === 'not_found' ? new Problem('share_invalid') : error
		},
	)
	const redact = (text: string) => sharing.redactContent(share.workspace_id, text)
	return { expires_at: toIso(share.expires_at), ...withoutNames(session, redact) }
}

/** Found by the hash of 256 random bits, so that the time that the search takes tells nothing of other secrets. */
async function findOpenShare({ store, clock }: SharingContext, token: string): Promise<ShareRow> {
	const known = isToken(token, tokenPrefixes.share)
	const share = known ? await findShareByToken(store.db, hashToken(token), clock.nowMs()) : undefined
	if (!share || !(await isSharingOn(store.db, share.workspace_id))) throw new Problem('share_invalid')
	return share
}

/** Left out are ids, people, clients and agents; what remains of text is redacted by the rules of now. */
function withoutNames(session: Session, redact: (text: string) => string): Omit<Shared, 'expires_at'> {
	const { session_id, agent, user_id, client, sessions, users, calls, ...figures } = session
	return {
		...figures,
		calls: calls.map(
			({ trace_id, span_id, server, messages, approval, attempts, time_to_first_token_ms, ...call }) => ({
				...call,
				server: { name: server.name },
				status_message: redact(call.status_message),
				messages: messages?.map((message) => ({ ...message, text: redact(message.text) })) ?? null,
			}),
		),
	}
}
