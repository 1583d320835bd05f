import { createFileRoute, redirect } from '@tanstack/react-router'
import { ApiError } from '../api.ts'
import { Shell } from '../app/shell.tsx'
import { meQuery } from '../areas/identity/session.ts'

export const Route = createFileRoute('/_app')({
	beforeLoad: async ({ context, location }) => {
		await context.queryClient.ensureQueryData(meQuery).catch((error: unknown) => {
			if (!(error instanceof ApiError) || error.status !== 401) throw error
			throw redirect({ to: '/sign-in', search: { next: location.href } })
		})
	},
	component: Shell,
})
