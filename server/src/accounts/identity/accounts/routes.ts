import { accountOperations } from '@signalbox/contract'
import { type BoundOperation, bind, userIn } from '../../../platform/http/index.ts'
import { callerOf } from '../caller.ts'
import type { IdentityContext } from '../context.ts'
import { changePassword, resetPassword } from './change-password.ts'
import { forgotPassword } from './forgot-password.ts'
import { resendVerification, verifyAddress } from './verify-address.ts'

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
