import { Link } from '@tanstack/react-router'
import { Button } from '../../ui/button.tsx'
import { InlineError } from '../../ui/states.tsx'
import { Badge, type Tone } from '../../ui/status.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { useCan } from '../identity/session.ts'
import { type AccessRequest, useRequestDecision } from './queries.ts'
import type { RequestStatus } from './request-search.ts'

const looks: Record<RequestStatus, { tone: Tone; word: string }> = {
	pending: { tone: 'warn', word: 'waiting' },
	granted: { tone: 'ok', word: 'granted' },
	declined: { tone: 'idle', word: 'declined' },
}

const link = 'inline-flex min-h-6 items-center text-accent hover:underline'

/** Who asked for what, for which agent, and what became of it. */
export function RequestTable({ requests }: { requests: readonly AccessRequest[] }) {
	return (
		<Table label="Access requests">
			<thead>
				<tr>
					<Th>Agent</Th>
					<Th>Wants</Th>
					<Th>Asked by</Th>
					<Th>State</Th>
					<Th right>
						<span className="sr-only">Decision</span>
					</Th>
				</tr>
			</thead>
			<tbody>
				{requests.map((request) => (
					<RequestRow key={request.id} request={request} />
				))}
			</tbody>
		</Table>
	)
}

function RequestRow({ request }: { request: AccessRequest }) {
	const { agent, server, tool, reason, requested_by, requested_at, status, decided_by, decided_at } = request
	const { tone, word } = looks[status]
	return (
		<Row>
			<Td className="min-w-28 align-top">
				<Link to="/agents/$agentId" params={{ agentId: agent.uuid }} className={link}>
					{agent.name}
				</Link>
			</Td>
			<Td className="min-w-56 align-top">
				<span className="flex min-h-6 flex-wrap items-center gap-x-1.5">
					{tool === null ? 'all tools' : <span className="font-mono text-[12.5px] break-all">{tool}</span>}
					of
					<Link to="/servers/$serverId" params={{ serverId: server.id }} className={link}>
						{server.name}
					</Link>
				</span>
				{reason && <p className="max-w-prose break-words text-ink-2">“{reason}”</p>}
			</Td>
			<Td className="min-w-36 align-top">
				<span className="block break-all">{requested_by.name}</span>
				<span className="text-xs text-ink-3">
					<Ago at={requested_at} />
				</span>
			</Td>
			<Td className="align-top">
				<Badge tone={tone}>{word}</Badge>
				{decided_by && (
					<span className="block text-xs text-ink-3">
						by {decided_by}, <Ago at={decided_at} />
					</span>
				)}
			</Td>
			<Td right className="align-top">
				{status === 'pending' && <Decide request={request} />}
			</Td>
		</Row>
	)
}

/** One press gives it: what is asked for stands in the line. */
function Decide({ request }: { request: AccessRequest }) {
	const isAdmin = useCan('admin')
	const { grant, decline } = useRequestDecision(request)
	const error = grant.error ?? decline.error
	const what = `${request.tool ?? 'all tools'} of ${request.server.name} for ${request.agent.name}`
	if (!isAdmin) return <span className="text-xs whitespace-nowrap text-ink-3">an admin decides</span>
	return (
		<div className="grid justify-items-end">
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
				<div className="max-w-64 text-left">
					<InlineError error={error} />
				</div>
			)}
		</div>
	)
}
