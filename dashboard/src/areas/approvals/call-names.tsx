import { Link } from '@tanstack/react-router'
import { showDirections, showHidden } from '../../lib/show-hidden.ts'
import type { Approval } from './queries.ts'

type Named = Pick<Approval, 'agent' | 'server' | 'tool'>

const link = 'inline-flex whitespace-nowrap min-h-6 items-center text-accent hover:underline'

export function AgentLink({ agent }: Pick<Named, 'agent'>) {
	return (
		<Link to="/agents/$agentId" params={{ agentId: agent.uuid }} className={link}>
			{showDirections(agent.name)}
		</Link>
	)
}

export function ServerLink({ server }: Pick<Named, 'server'>) {
	return (
		<Link to="/servers/$serverId" params={{ serverId: server.id }} className={link}>
			{showDirections(server.name)}
		</Link>
	)
}

export function ToolName({ tool }: Pick<Named, 'tool'>) {
	return <span className="font-mono text-[12.5px] break-all">{showHidden(tool)}</span>
}
