import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/page.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { KeyTable } from '../identity/key-table.tsx'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan } from '../identity/session.ts'
import { NewAgentKeyDialog } from './new-agent-key-dialog.tsx'
import { type Agent, agentKeysQuery } from './queries.ts'

/** The keys that act as this agent. */
export function AgentKeys({ agent }: { agent: Agent }) {
	const [isOpen, setIsOpen] = useState(false)
	const canChange = useCan('keys:write')
	const { data, error, refetch } = useQuery(agentKeysQuery(agent.uuid))
	const createButton = (
		<Button variant="primary" icon="plus" disabled={!canChange} onClick={() => setIsOpen(true)}>
			Create key
		</Button>
	)
	return (
		<div className="grid gap-3">
			<RoleHint needs="keys:write" what="create keys" />
			<Panel {...(data && data.keys.length > 0 && { title: 'Keys', actions: createButton })} flush>
				{error && !data ? (
					<ErrorState error={error} retry={() => void refetch()} />
				) : !data ? (
					<SkeletonRows />
				) : data.keys.length === 0 ? (
					<Empty icon="key" title="No key yet" action={createButton}>
						A key lets a client act as {agent.name}. With it you get ready lines for Claude Code, Cursor, VS
						Code and others.
					</Empty>
				) : (
					<KeyTable keys={data.keys} refreshKey={['agents', agent.uuid, 'keys']} />
				)}
			</Panel>
			<NewAgentKeyDialog agent={agent} open={isOpen} onClose={() => setIsOpen(false)} />
		</div>
	)
}
