import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckResult } from './check-result.tsx'
import { checkHealth, refreshServers, type Server } from './queries.ts'
import type { ServerInput } from './register-form.tsx'
import { RegisterTabs } from './register-tabs.tsx'

/** A program is installed and started by itself; a server with an address is checked at once. */
export async function register({ allowed_hosts, ...body }: ServerInput) {
	const server = await unwrap(api.POST('/v1/mcp/servers', { body }))
	if (server.command === null) return { server, health: await checkHealth(server.id) }
	if (allowed_hosts) {
		const params = { path: { id: server.id } }
		await unwrap(api.PATCH('/v1/mcp/servers/{id}/program', { params, body: { allowed_hosts } }))
	}
	return { server, health: null }
}

/** Two steps: the address, then the result of the first check. */
export function RegisterDialog({
	open,
	onClose,
	onRegistered,
}: {
	open: boolean
	onClose(): void
	onRegistered?: (server: Server) => void
}) {
	const queries = useQueryClient()
	const [round, setRound] = useState(0)
	const run = useMutation({
		mutationFn: register,
		onSuccess: async ({ server }) => {
			await refreshServers(queries)
			onRegistered?.(server)
		},
	})
	const close = () => {
		onClose()
		run.reset()
		setRound(round + 1)
	}
	return (
		<Dialog
			open={open}
			onClose={close}
			title={run.data ? run.data.server.name : 'Register an MCP server'}
			description={
				run.data
					? run.data.health
						? 'Registered and checked.'
						: 'Registered. It is installed and started automatically.'
					: 'A remote server by its URL, a program by its command, or many by a file.'
			}
		>
			{run.data ? (
				<CheckResult server={run.data.server} health={run.data.health} onClose={close} />
			) : (
				<RegisterTabs
					key={round}
					busy={run.isPending}
					error={run.error}
					onSubmit={run.mutate}
					onCancel={close}
				/>
			)}
		</Dialog>
	)
}
