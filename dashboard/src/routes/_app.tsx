import { createFileRoute, redirect } from '@tanstack/react-router'
import { ApiError } from '../api.ts'
import { ForeignWorkspace } from '../app/foreign-workspace.tsx'
import { Shell } from '../app/shell.tsx'
import { meQuery } from '../areas/identity/session.ts'
import { basePath, uiPath } from '../lib/base-url.ts'

export const Route = createFileRoute('/_app')({
	beforeLoad: async ({ context, location }) => {
		await context.queryClient.ensureQueryData(meQuery).catch((error: unknown) => {
			if (!(error instanceof ApiError) || error.status !== 401) throw error
			throw redirect({
				to: '/sign-in',
				search: { next: `${uiPath().slice(basePath.length)}${location.href}` },
			})
		})
	},
	component: App,
})

function App() {
	const { foreignWorkspace } = Route.useRouteContext()
	return foreignWorkspace === null ? <Shell /> : <ForeignWorkspace named={foreignWorkspace} />
}
