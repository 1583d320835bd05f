import { Link } from '@tanstack/react-router'
import { showDirections, showHidden } from '../../lib/show-hidden.ts'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { actionLinkClass } from '../../ui/link.ts'
import { InlineError } from '../../ui/states.tsx'
import { Badge, type Tone } from '../../ui/status.tsx'
import { Ago } from '../../ui/time.tsx'
import { useCan } from '../identity/session.ts'
import { type AccessRequest, useRequestDecision } from './queries.ts'
import type { RequestStatus } from './request-search.ts'

const looks: Record<RequestStatus, { tone: Tone; word: string }> = {
	pending: { tone: 'warn', word: 'waiting' },
	granted: { tone: 'ok', word: 'granted' },
	declined: { tone: 'idle', word: 'declined' },
}

/** Requests: who asked for which access for which agent, and the outcome. */
export function RequestList({ requests }: { requests: readonly AccessRequest[] }) {
	return (
		<ul aria-label="Access requests">
			{requests.map((request) => (
				<RequestItem key={request.id} request={request} />
			))}
		</ul>
	)
}

/** A name may be one long word. */
const nameClass = cn(actionLinkClass, 'wrap-anywhere')

function RequestItem({ request }: { request: AccessRequest }) {
	const { agent, server, tool, reason, requested_by, requested_at, status, decided_by, decided_at } = request
	const { tone, word } = looks[status]
	return (
		<li className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2 border-b border-line px-4 py-3 last:border-0">
			<div className="min-w-0 flex-1 basis-72">
				<p className="flex flex-wrap items-center gap-x-1.5">
					<Link to="/agents/$agentId" params={{ agentId: agent.uuid }} className={nameClass}>
						{showDirections(agent.name)}
					</Link>
					wants
					{tool === null ? (
						'all tools'
					) : (
						<span className="font-mono text-[12.5px] break-all">{showHidden(tool)}</span>
					)}
					of
					<Link to="/servers/$serverId" params={{ serverId: server.id }} className={nameClass}>
						{showDirections(server.name)}
					</Link>
				</p>
				{reason && <p className="max-w-prose break-words">“{reason}”</p>}
				<p className="text-xs break-words text-ink-3">
					requested by {requested_by.name} <Ago at={requested_at} />
					{decided_by && (
						<>
							, {word} by {decided_by} <Ago at={decided_at} />
						</>
					)}
				</p>
			</div>
			<div className="flex flex-wrap items-center gap-3">
				<Badge tone={tone}>{word}</Badge>
				{status === 'pending' && <Decide request={request} />}
			</div>
		</li>
	)
}

/** Grants the request with one click, because the line shows what is requested. */
function Decide({ request }: { request: AccessRequest }) {
	const canChange = useCan('access:write')
	const { grant, decline } = useRequestDecision(request)
	const error = grant.error ?? decline.error
	const what = `${request.tool ?? 'all tools'} of ${request.server.name} for ${request.agent.name}`
	if (!canChange) return <span className="text-xs whitespace-nowrap text-ink-3">an admin decides</span>
	return (
		<div className="grid">
			<span className="flex gap-2">
				<Button
					small
					variant="primary"
					busy={grant.isPending}
					aria-label={`Grant ${what}`}
					onClick={() => grant.mutate()}
				>
					Grant
				</Button>
				<Button
					small
					busy={decline.isPending}
					aria-label={`Decline ${what}`}
					onClick={() => decline.mutate()}
				>
					Decline
				</Button>
			</span>
			{error && (
				<div className="max-w-64">
					<InlineError error={error} />
				</div>
			)}
		</div>
	)
}
