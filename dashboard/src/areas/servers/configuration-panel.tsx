import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import { Switch } from '../../ui/controls.tsx'
import { Panel } from '../../ui/page.tsx'
import { InlineError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { useCan } from '../identity/session.ts'
import { refreshServers, type Server } from './queries.ts'

const choices = [
	{
		key: 'capture_arguments',
		on: undefined,
		off: false,
		title: 'Record arguments of calls',
		text: 'At most 16 KiB a call, redacted. Traces show them, and access reviews use them.',
	},
	{
		key: 'capture_results',
		on: undefined,
		off: false,
		title: 'Record results of calls',
		text: 'At most 16 KiB a call, redacted. Traces and sessions show them.',
	},
	{
		key: 'protocol_era',
		on: 'legacy',
		off: undefined,
		title: 'Cap protocol version at 2025-11-25',
		text: 'Usually not needed. Clients of 2026-07-28 are then served with the older protocol too, in which tools may ask in the middle of a call.',
	},
] as const

/** The keys in a server's free-form configuration that Signalbox interprets; others are left unchanged. */
export function ConfigurationPanel({ server }: { server: Server }) {
	const canChange = useCan('servers:write')
	const queries = useQueryClient()
	const change = useMutation({
		// Based on what is currently stored: the screen may be outdated, and other keys belong to others.
		mutationFn: async ({ key, value }: { key: string; value: unknown }) => {
			const params = { path: { id: server.id } }
			const stored = await unwrap(api.GET('/v1/mcp/servers/{id}', { params }))
			const { [key]: _, ...others } = stored.configuration
			const wanted = value === undefined ? others : { ...others, [key]: value }
			return unwrap(api.PATCH('/v1/mcp/servers/{id}', { params, body: { configuration: wanted } }))
		},
		onSuccess: () => {
			toast('Saved')
			return refreshServers(queries)
		},
	})
	return (
		<Panel title="Calls">
			<div className="grid gap-4">
				{choices.map(({ key, on, off, title, text }) => (
					<div key={key} className="flex items-center justify-between gap-4">
						<div>
							<p>{title}</p>
							<p className="text-ink-2">{text}</p>
						</div>
						<Switch
							label={title}
							disabled={!canChange || change.isPending}
							checked={
								off === undefined ? server.configuration[key] === on : server.configuration[key] !== off
							}
							onChange={(isOn) => change.mutate({ key, value: isOn ? on : off })}
						/>
					</div>
				))}
				{change.error ? <InlineError error={change.error} /> : null}
			</div>
		</Panel>
	)
}
