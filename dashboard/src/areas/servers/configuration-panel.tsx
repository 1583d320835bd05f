import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, take } from '../../api.ts'
import { Switch } from '../../ui/controls.tsx'
import { Panel } from '../../ui/page.tsx'
import { InlineError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { useCan } from '../identity/session.ts'
import { refreshServers, type Server } from './queries.ts'

const choices = [
	{
		key: 'capture_arguments',
		on: true,
		title: 'Record the arguments of calls',
		text: 'At most 16 KiB a call, without what is recognised as private. Access reviews judge by them.',
	},
	{
		key: 'protocol_era',
		on: 'legacy',
		title: 'Speak MCP 2025-11-25 at most',
		text: 'Usually not needed: a server of both eras speaks that of each client. With it clients of 2026-07-28 are served in the older era too, where tools may ask in the middle of a call.',
	},
] as const

/** What the free-form configuration of a server says to Signalbox; the rest of it stays as it is. */
export function ConfigurationPanel({ server }: { server: Server }) {
	const isAdmin = useCan('admin')
	const queries = useQueryClient()
	const change = useMutation({
		// From what is stored now: the screen may be old, and the rest is somebody else's.
		mutationFn: async ({ key, value }: { key: string; value: unknown }) => {
			const params = { path: { id: server.id } }
			const stored = await take(api.GET('/v1/mcp/servers/{id}', { params }))
			const { [key]: _, ...others } = stored.configuration
			const wanted = value === undefined ? others : { ...others, [key]: value }
			return take(api.PATCH('/v1/mcp/servers/{id}', { params, body: { configuration: wanted } }))
		},
		onSuccess: () => {
			toast('Saved')
			return refreshServers(queries)
		},
	})
	return (
		<Panel title="Calls">
			<div className="grid gap-4">
				{choices.map(({ key, on, title, text }) => (
					<div key={key} className="flex items-center justify-between gap-4">
						<div>
							<p>{title}</p>
							<p className="text-ink-2">{text}</p>
						</div>
						<Switch
							label={title}
							disabled={!isAdmin || change.isPending}
							checked={server.configuration[key] === on}
							onChange={(isOn) => change.mutate({ key, value: isOn ? on : undefined })}
						/>
					</div>
				))}
				{change.error ? <InlineError error={change.error} /> : null}
			</div>
		</Panel>
	)
}
