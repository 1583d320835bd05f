import { accountOperations } from '@signalbox/contract'
import { type BoundOperation, bind, userIn } from '../../../platform/http/index.ts'
import { callerOf } from '../caller.ts'
import type { IdentityContext } from '../context.ts'
import { changePassword, resetPassword } from './change-password.ts'
import { forgotPassword } from './forgot-password.ts'
import { resendVerification, verifyAddress } from './verify-address.ts'

export function accountRoutes(context: IdentityContext): BoundOperation[] {
	return bind(accountOperations, {
		verify: ({ body, request, context: door }) => verifyAddress(context, body.token, callerOf(request, door)),
		resend: async ({ request, context: door }) => {
			await resendVerification(context, userIn(door), callerOf(request, door))
			return undefined
		},
		forgot: async ({ body, request, context: door }) => {
			await forgotPassword(context, body.email, callerOf(request, door))
			return undefined
		},
		reset: async ({ body, request, context: door }) => {
			await resetPassword(context, body, callerOf(request, door))
			return undefined
		},
		change: async ({ body, request, context: door }) => {
			await changePassword(context, userIn(door), body, callerOf(request, door))
			return undefined
		},
	})
}
