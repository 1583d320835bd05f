import { Link } from '@tanstack/react-router'

const linkClass = 'inline-flex min-h-6 max-w-full items-center truncate hover:underline'

interface Named {
	id: string
	name: string
}

export function AgentLink({ agent }: { agent: Named }) {
	return (
		<Link to="/agents/$agentId" params={{ agentId: agent.id }} className={linkClass}>
			{agent.name || agent.id}
		</Link>
	)
}

export function ServerLink({ server }: { server: Named | null }) {
	if (!server) return <span className="text-ink-3">–</span>
	return (
		<Link to="/servers/$serverId" params={{ serverId: server.id }} className={linkClass}>
			{server.name || server.id}
		</Link>
	)
}

export function TraceLink({ traceId, children }: { traceId: string; children: string }) {
	return (
		<Link to="/traces/$traceId" params={{ traceId }} className={`${linkClass} text-accent`}>
			{children}
		</Link>
	)
}
