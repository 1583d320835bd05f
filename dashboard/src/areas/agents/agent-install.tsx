import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Field, Select } from '../../ui/field.tsx'
import { Panel } from '../../ui/page.tsx'
import { Badge } from '../../ui/status.tsx'
import { Ago } from '../../ui/time.tsx'
import { agentAccessQuery } from '../access-grants/queries.ts'
import { ClientTabs } from './client-tabs.tsx'
import type { Agent } from './queries.ts'

/** How a client connects as this agent, and whether one has connected. */
export function AgentInstall({ agent }: { agent: Agent }) {
	const [server, setServer] = useState('')
	const { data } = useQuery(agentAccessQuery(agent.uuid))
	return (
		<Panel
			title="Connect a client"
			actions={
				agent.last_seen_at ? (
					<Badge tone="ok">
						seen <Ago at={agent.last_seen_at} />
					</Badge>
				) : (
					<Badge tone="idle">waiting for its first call</Badge>
				)
			}
		>
			<div className="grid grid-cols-[minmax(0,1fr)] gap-4">
				<p className="max-w-3xl text-ink-2">
					Replace YOUR_AGENT_KEY with a key of this agent: Signalbox keeps only hashes of keys. Create one
					under Keys: there you get the same lines with the key in them.
				</p>
				<div className="max-w-xs">
					<Field label="What it connects to">
						{(field) => (
							<Select {...field} value={server} onChange={(event) => setServer(event.target.value)}>
								<option value="">Everything that is granted</option>
								{(data?.effective ?? []).map(({ server: { id, slug, name } }) => (
									<option key={id} value={slug}>
										Only {name}
									</option>
								))}
							</Select>
						)}
					</Field>
				</div>
				<ClientTabs agentId={agent.uuid} server={server} />
			</div>
		</Panel>
	)
}
