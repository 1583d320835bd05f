import { randomInt } from 'node:crypto'
import { accountOperations } from '@signalbox/contract'
import { type BoundOperation, bind, userIn } from '../../../platform/http/index.ts'
import { systemActor } from '../../audit/index.ts'
import { type Caller, callerOf, type IdentityContext } from '../identity-context.ts'
import { findUserByEmail } from './account-repository.ts'
import { changePassword, resendVerification, resetPassword, verifyAddress } from './change-password.ts'
import { resetMessage } from './messages.ts'
import { homeOf, normaliseEmail } from './new-account.ts'
import { requirePasswords } from './password-rules.ts'
import { issueToken } from './tokens/account-tokens.ts'

export function accountRoutes(context: IdentityContext): BoundOperation[] {
	return bind(accountOperations, {
		verify: ({ body, request, context: requestContext }) =>
			verifyAddress(context, body.token, callerOf(request, requestContext)),
		resend: async ({ request, context: requestContext }) => {
			await resendVerification(context, userIn(requestContext), callerOf(request, requestContext))
			return undefined
		},
		forgot: async ({ body, request, context: requestContext }) => {
			await forgotPassword(context, body.email, callerOf(request, requestContext))
			return undefined
		},
		reset: async ({ body, request, context: requestContext }) => {
			await resetPassword(context, body, callerOf(request, requestContext))
			return undefined
		},
		change: async ({ body, request, context: requestContext }) => {
			await changePassword(context, userIn(requestContext), body, callerOf(request, requestContext))
			return undefined
		},
	})
}

/**
 * Sends a link to reset the password, if somebody has this address. Nothing of that is done before the answer, and a
 * random moment later, so that neither the answer nor what the program does next tells whether the address is known.
 */
async function forgotPassword(context: IdentityContext, email: string, caller: Caller): Promise<void> {
	requirePasswords(context)
	const attempt = { kind: 'mail', address: caller.address } as const
	await context.throttle.check(attempt)
	await context.throttle.count(attempt)
	const account = normaliseEmail(email)
	context.background.run('password reset', () => sendReset(context, account, caller), randomInt(50, 500))
}

/** A link that was sent a moment ago still works, so asking again at once sends no second one: nobody's mailbox is flooded. */
async function sendReset(context: IdentityContext, account: string, caller: Caller): Promise<void> {
	const { throttle, store, mutate, audit, mailer, publicAddress } = context
	const attempt = { kind: 'mail-to', account } as const
	if ((await throttle.waitMs(attempt)) > 0) return
	await throttle.count(attempt)
	const user = await findUserByEmail(store.db, account)
	if (!user) return
	const workspaceId = await homeOf(store.db, user.id)
	const token = await mutate(async (tx) => {
		await audit.record(tx, {
			workspaceId,
			actor: systemActor('forgotten password'),
			action: 'auth.forgot_password',
			target: { kind: 'user', id: user.id, name: user.email },
			detail: { address: caller.address },
			requestId: caller.requestId,
		})
		return issueToken(context, tx, { userId: user.id, email: user.email }, 'reset')
	})
	await mailer.send(resetMessage(publicAddress(), user.email, token))
}
