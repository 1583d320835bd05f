import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiError, api, unwrap } from '../../api.ts'
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

interface Entry {
	key: string
	value: unknown
}

/**
 * Changes one key of what is stored now: the screen may be outdated, and other keys belong to others. Fails if somebody changes the
 * server in between.
 */
async function changeConfiguration(id: string, { key, value }: Entry) {
	const params = { path: { id } }
	const reading = api.GET('/v1/mcp/servers/{id}', { params })
	const { [key]: _, ...others } = (await unwrap(reading)).configuration
	const configuration = value === undefined ? others : { ...others, [key]: value }
	const headers = { 'if-match': (await reading).response.headers.get('etag') ?? '*' }
	return unwrap(api.PATCH('/v1/mcp/servers/{id}', { params, headers, body: { configuration } }))
}

/** The keys in a server's free-form configuration that Signalbox interprets; others are left unchanged. */
export function ConfigurationPanel({ server }: { server: Server }) {
	const canChange = useCan('servers:write')
	const queries = useQueryClient()
	const change = useMutation({
		mutationFn: (entry: Entry) => changeConfiguration(server.id, entry),
		retry: (failures, error) => failures < 3 && error instanceof ApiError && error.status === 412,
		retryDelay: 0,
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
