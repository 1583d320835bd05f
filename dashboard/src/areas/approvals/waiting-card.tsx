import { Link } from '@tanstack/react-router'
import { cn } from '../../ui/cn.ts'
import { JsonView } from '../../ui/json-view.tsx'
import { Ago, Until } from '../../ui/time.tsx'
import { AgentLink, ServerLink, ToolName } from './call-names.tsx'
import { ApproveOrDeny, type Decision } from './decision-form.tsx'
import { describeAsker } from './describe-asker.ts'
import type { Approval } from './queries.ts'

interface WaitingCardProps {
	approval: Approval
	/** Counted from 1, which gives each of several calls of a tool a unique name. */
	place: number
	isChosen: boolean
	asked: Decision | null
	onChoose(): void
	onAsk(decision: Decision | null): void
}

/** A pending call: what exactly would run, until when it can be decided, and the decision. */
export function WaitingCard({ approval, place, isChosen, asked, onChoose, onAsk }: WaitingCardProps) {
	const { id, agent, server, tool, asked_by, requested_at, expires_at } = approval
	return (
		<li
			id={`approval-${id}`}
			tabIndex={-1}
			aria-label={`${tool} by ${agent.name}`}
			aria-current={isChosen || undefined}
			onFocus={onChoose}
			className={cn(
				'grid grid-cols-[minmax(0,1fr)] scroll-m-4 gap-3 rounded-xl border bg-surface p-4 outline-none',
				isChosen ? 'border-accent shadow-float' : 'border-line',
			)}
		>
			<div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-1">
				<div className="min-w-0">
					<h3 className="font-semibold">
						<Link to="/approvals/$approvalId" params={{ approvalId: id }} className="hover:underline">
							<ToolName tool={tool} />
						</Link>
					</h3>
					<p className="text-ink-2">
						<AgentLink agent={agent} /> on <ServerLink server={server} />, requested
						{asked_by && ` by ${describeAsker(asked_by)}`} <Ago at={requested_at} />
					</p>
				</div>
				<p className="text-xs text-ink-3">
					expires <Until at={expires_at} />
				</p>
			</div>
			<JsonView value={approval.arguments} label={`Call ${place}: arguments of ${tool}`} />
			<ApproveOrDeny approval={approval} asked={asked} onAsk={onAsk} />
		</li>
	)
}
